//! A request in the words of `genai`.

use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ContentPart, JsonSpec, MessageContent, Tool,
    ToolResponse,
};
use serde_json::{Value, json};

use crate::model::server::Server;
use crate::model::strict::strict;
use crate::port::{Message, ModelRequest, ToolCall, ToolDef};

pub(super) fn options(request: &ModelRequest, server: &Server) -> ChatOptions {
    let mut options = ChatOptions::default()
        .with_capture_usage(true)
        // without them the provider's signed thoughts are not there to be given back
        .with_capture_reasoning_content(true)
        .with_stream_header_timeout(server.silence)
        .with_stream_read_timeout(server.silence)
        .with_stop_sequences(request.options.stop.clone());
    // as it was written: 0.7, not the 0.699999988079071 of the wider type
    let written = request.options.temperature.map(|given| given.to_string().parse());
    options.temperature = written.and_then(Result::ok);
    options.max_tokens = request.options.max_tokens;
    if !server.fields.is_empty() {
        options.extra_body = Some(Value::Object(server.fields.clone()));
    }
    match request.response_schema.as_ref().and_then(strict) {
        Some(schema) => options.with_response_format(JsonSpec::new("output", schema)),
        None => options,
    }
}

pub(super) fn question(request: &ModelRequest, kind: AdapterKind) -> ChatRequest {
    let mut messages: Vec<ChatMessage> = Vec::new();
    // what cannot be closed would be closed by `genai`, and a map be empty; so the model is told of it
    if let Some(schema) = request.response_schema.as_ref().filter(|one| strict(one).is_none()) {
        messages.push(ChatMessage::system(format!(
            "Answer with JSON that fits this JSON Schema, and with nothing else:\n{schema}"
        )));
    }
    let mut after_tool = false;
    for message in &request.messages {
        let is_tool = matches!(message, Message::Tool(_));
        match (message, messages.last_mut()) {
            (Message::System { text }, _) => messages.push(ChatMessage::system(text)),
            (Message::User { text }, _) => messages.push(ChatMessage::user(text)),
            (Message::Assistant { text, tool_calls, opaque }, _) => {
                messages.push(ChatMessage::assistant(said(text, tool_calls, opaque, kind)));
            }
            (Message::Tool(result), last) => {
                let part = ContentPart::ToolResponse(
                    ToolResponse::new(&result.call_id, &result.text).with_fn_name(&result.name),
                );
                match last.filter(|_| after_tool) {
                    // some providers want all results of a step in one message
                    Some(last) => last.content.push(part),
                    None => messages.push(ChatMessage::tool(vec![part])),
                }
            }
        }
        after_tool = is_tool;
    }
    let question = ChatRequest::new(messages);
    if request.tools.is_empty() {
        return question;
    }
    question.with_tools(request.tools.iter().map(|ToolDef { name, description, schema }| {
        let tool = Tool::new(name.as_str()).with_schema(schema.clone());
        if description.is_empty() { tool } else { tool.with_description(description) }
    }))
}

/// What the model said, with what its provider wants back.
fn said(text: &str, calls: &[ToolCall], opaque: &[Value], kind: AdapterKind) -> MessageContent {
    let own = opaque.iter().filter(|kept| kept["provider"] == kind.as_lower_str());
    let kept = own.filter_map(|kept| kept["parts"].as_array()).flatten();
    // what another version of the crate kept is left out
    let mut parts: Vec<ContentPart> =
        kept.filter_map(|part| serde_json::from_value(part.clone()).ok()).collect();
    if !text.is_empty() || calls.is_empty() {
        parts.push(ContentPart::from_text(text));
    }
    parts.extend(calls.iter().map(|call| {
        let read = serde_json::from_str(&call.arguments).ok().filter(Value::is_object);
        ContentPart::ToolCall(genai::chat::ToolCall {
            call_id: call.id.clone(),
            fn_name: call.name.clone(),
            // providers take nothing else than an object; the tool's result says what was wrong
            fn_arguments: read.unwrap_or_else(|| json!({})),
            thought_signatures: None,
        })
    }));
    MessageContent::from_parts(parts)
}
