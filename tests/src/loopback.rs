//! A server on this machine, which answers as a test says, and keeps what it was asked.

use std::sync::{Arc, Mutex};

use flowstate::model::*;
use futures_util::StreamExt as _;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

pub(crate) const KEY: &str = "test-key-1234567890";

/// What the server does with one request.
pub(crate) enum Answer {
    /// A response with these headers, and a body in these pieces: each is a chunk of its own.
    Pieces(&'static str, Vec<Vec<u8>>),
    /// The same, and then the connection is cut.
    Cut(Vec<Vec<u8>>),
    /// Nothing, for ever.
    Silence,
    /// A piece, then nothing; tells when the client is gone.
    Endless(&'static str, oneshot::Sender<()>),
}

pub(crate) const EVENTS: &str = "200 OK\r\ncontent-type: text/event-stream";

pub(crate) fn plain(status: &'static str, body: &str) -> Answer {
    Answer::Pieces(status, vec![body.as_bytes().to_vec()])
}

pub(crate) struct Server {
    pub(crate) url: String,
    /// The head and the body of each request.
    pub(crate) asked: Arc<Mutex<Vec<(String, Value)>>>,
    pub(crate) connections: Arc<Mutex<usize>>,
}

impl Server {
    pub(crate) async fn new(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(Mutex::new(0));
        let (to, count) = (asked.clone(), connections.clone());
        let answers = Arc::new(Mutex::new(answers.into_iter()));
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                *count.lock().unwrap() += 1;
                let (to, answers) = (to.clone(), answers.clone());
                tokio::spawn(async move {
                    while let Some(request) = read(&mut stream).await {
                        to.lock().unwrap().push(request);
                        let Some(answer) = answers.lock().unwrap().next() else { return };
                        if !give(&mut stream, answer).await {
                            break;
                        }
                    }
                });
            }
        });
        Self { url, asked, connections }
    }

    pub(crate) fn body(&self, at: usize) -> Value {
        self.asked.lock().unwrap()[at].1.clone()
    }
}

async fn read(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut bytes = Vec::new();
    loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..at].to_vec()).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.unwrap().parse().unwrap();
            if bytes.len() >= at + 4 + length {
                return Some((head, serde_json::from_slice(&bytes[at + 4..]).unwrap()));
            }
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return None;
        }
    }
}

/// Whether the connection goes on.
async fn give(stream: &mut TcpStream, answer: Answer) -> bool {
    let (head, pieces, whole) = match answer {
        Answer::Pieces(head, pieces) => (head, pieces, true),
        Answer::Cut(pieces) => (EVENTS, pieces, false),
        Answer::Silence => std::future::pending().await,
        Answer::Endless(piece, gone) => {
            let (size, head) =
                (piece.len(), format!("HTTP/1.1 {EVENTS}\r\ntransfer-encoding: chunked"));
            let text = format!("{head}\r\n\r\n{size:x}\r\n{piece}\r\n");
            stream.write_all(text.as_bytes()).await.unwrap();
            // ends when the client closes its side
            let _ = stream.read(&mut [0; 16]).await;
            gone.send(()).unwrap();
            return false;
        }
    };
    let mut bytes = format!("HTTP/1.1 {head}\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
    for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
        bytes.extend_from_slice(format!("{:x}\r\n", piece.len()).as_bytes());
        bytes.extend_from_slice(piece);
        bytes.extend_from_slice(b"\r\n");
    }
    if whole {
        bytes.extend_from_slice(b"0\r\n\r\n");
    }
    let _ = stream.write_all(&bytes).await;
    whole
}

pub(crate) fn question() -> ModelRequest {
    ModelRequest::new(vec![Message::system("Be brief."), Message::user("Hi?")])
}

pub(crate) async fn ask(
    model: &impl Model,
    request: &ModelRequest,
) -> (Vec<Delta>, Option<ModelError>) {
    let (mut pieces, mut error) = (Vec::new(), None);
    let mut stream = model.stream(request);
    while let Some(piece) = stream.next().await {
        assert!(error.is_none(), "something comes after an error");
        match piece {
            Ok(piece) => pieces.push(piece),
            Err(failed) => error = Some(failed),
        }
    }
    (pieces, error)
}
