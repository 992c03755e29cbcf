//! The protocol: what is sent, and what the pieces of an answer say.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::model::strict::strict;
use crate::port::{Delta, FinishReason, Message, ModelRequest, Usage};

/// The body of a request, without what the user adds.
pub(super) fn body(model: &str, request: &ModelRequest, tokens_key: &str) -> Map<String, Value> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| body.insert(key.to_owned(), value);
    put("model", model.into());
    put("messages", request.messages.iter().map(message).collect());
    put("stream", true.into());
    put("stream_options", json!({"include_usage": true}));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let (name, description, schema) = (&tool.name, &tool.description, &tool.schema);
            json!({"type": "function", "function": {
                "name": name, "description": description, "parameters": schema,
            }})
        });
        put("tools", tools.collect());
    }
    if let Some(temperature) = request.options.temperature {
        // as it was written: 0.7, not the 0.699999988079071 of the wider type
        let written: f64 = temperature.to_string().parse().unwrap_or_default();
        put("temperature", written.into());
    }
    if let Some(tokens) = request.options.max_tokens {
        put(tokens_key, tokens.into());
    }
    if !request.options.stop.is_empty() {
        put("stop", json!(request.options.stop));
    }
    if let Some(depth) = request.search {
        put("web_search_options", json!({"search_context_size": depth}));
    }
    if let Some(schema) = &request.response_schema {
        let closed = strict(schema);
        let strict = closed.is_some();
        let schema = closed.unwrap_or_else(|| schema.clone());
        put(
            "response_format",
            json!({"type": "json_schema", "json_schema": {
                "name": "output", "strict": strict, "schema": schema,
            }}),
        );
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": "system", "content": text}),
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::Tool(result) => {
            json!({"role": "tool", "tool_call_id": result.call_id, "content": result.text})
        }
        Message::Assistant { text, tool_calls, .. } if tool_calls.is_empty() => {
            json!({"role": "assistant", "content": text})
        }
        Message::Assistant { text, tool_calls, .. } => {
            let calls = tool_calls.iter().map(|call| {
                // some servers read them as JSON
                let arguments = if call.arguments.is_empty() { "{}" } else { &call.arguments };
                json!({"id": call.id, "type": "function", "function": {
                    "name": call.name, "arguments": arguments,
                }})
            });
            let text = (!text.is_empty()).then_some(text);
            json!({"role": "assistant", "content": text, "tool_calls": calls.collect::<Value>()})
        }
    }
}

/// A piece of an answer, or a whole one from a server that does not stream. What a server leaves out or adds does not matter.
#[derive(Deserialize)]
pub(super) struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<Used>,
    pub(super) error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(alias = "message")]
    delta: Option<Said>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
    refusal: Option<String>,
    #[serde(alias = "reasoning")]
    reasoning_content: Option<String>,
    tool_calls: Option<Vec<Call>>,
    annotations: Option<Vec<Annotation>>,
}

#[derive(Deserialize)]
struct Call {
    index: Option<usize>,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: Option<String>,
    /// Text; of some servers the object itself.
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct Annotation {
    url_citation: Option<Citation>,
}

#[derive(Deserialize)]
struct Citation {
    url: String,
    title: Option<String>,
}

#[derive(Deserialize)]
struct Used {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

/// Follows the pieces of one answer.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The calls so far: their number in the protocol and their id.
    calls: Vec<(usize, String)>,
    /// Whether it was said why the answer ends.
    pub(super) finished: bool,
}

impl Reader {
    pub(super) fn read(&mut self, chunk: Chunk, to: &mut impl Extend<Delta>) {
        for choice in chunk.choices.into_iter().flatten() {
            if let Some(said) = choice.delta {
                self.said(said, to);
            }
            if let Some(reason) = choice.finish_reason {
                self.finished = true;
                to.extend([Delta::Finish(match reason.as_str() {
                    "stop" => FinishReason::Stop,
                    "tool_calls" | "function_call" => FinishReason::ToolCalls,
                    "length" => FinishReason::Length,
                    "content_filter" => FinishReason::ContentFilter,
                    _ => FinishReason::Other,
                })]);
            }
        }
        if let Some(used) = chunk.usage {
            to.extend([Delta::Usage(Usage {
                input_tokens: used.prompt_tokens.unwrap_or_default(),
                output_tokens: used.completion_tokens.unwrap_or_default(),
                cached_tokens: used
                    .prompt_tokens_details
                    .and_then(|details| details.cached_tokens)
                    .unwrap_or_default(),
            })]);
        }
    }

    fn said(&mut self, said: Said, to: &mut impl Extend<Delta>) {
        let some = |text: &String| !text.is_empty();
        to.extend(said.reasoning_content.filter(some).map(Delta::Reasoning));
        to.extend(said.content.filter(some).map(Delta::Text));
        to.extend(said.refusal.filter(some).map(Delta::Text));
        for (at, call) in said.tool_calls.into_iter().flatten().enumerate() {
            let id = call.id.unwrap_or_default();
            let index = self.index(call.index.unwrap_or(at), &id);
            let (name, arguments) =
                call.function.map_or((None, None), |function| (function.name, function.arguments));
            let arguments = match arguments {
                None | Some(Value::Null) => String::new(),
                Some(Value::String(text)) => text,
                Some(object) => object.to_string(),
            };
            let name = name.unwrap_or_default();
            to.extend([Delta::ToolCall { index, id, name, arguments }]);
        }
        let cited = said.annotations.into_iter().flatten().filter_map(|one| one.url_citation);
        to.extend(cited.map(|Citation { url, title }| Delta::Source { url, title }));
    }

    /// Which call is meant. Some servers give all calls one number, and only another id tells that it is another call.
    fn index(&mut self, number: usize, id: &str) -> usize {
        let known = self.calls.iter().rposition(|(other, _)| *other == number);
        if let Some(index) = known
            && (id.is_empty() || self.calls[index].1.is_empty() || self.calls[index].1 == id)
        {
            if self.calls[index].1.is_empty() {
                id.clone_into(&mut self.calls[index].1);
            }
            return index;
        }
        self.calls.push((number, id.to_owned()));
        self.calls.len() - 1
    }
}
