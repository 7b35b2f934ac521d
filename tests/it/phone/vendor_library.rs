//! The vendor's own Python library, in one process for all tests: it signs what we verify, and parses what we write.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
};

use serde_json::{Value, json};

struct Library {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// It exits when its input is closed.
    _process: Child,
}

static LIBRARY: LazyLock<Mutex<Library>> = LazyLock::new(|| Mutex::new(Library::start()));

impl Library {
    #[allow(clippy::disallowed_methods)]
    fn start() -> Self {
        let python = std::env::var_os("ENDONYM_TEST_PYTHON").expect(
            "ENDONYM_TEST_PYTHON must name a Python with the vendor's library; `./test` makes one (docs/testing.md)",
        );
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/phone/vendor.py");
        let mut process = Command::new(python)
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python that ENDONYM_TEST_PYTHON names can be run");
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { input, output: BufReader::new(output), _process: process }
    }

    fn ask(&mut self, question: &Value) -> Value {
        writeln!(self.input, "{question}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).expect("an answer of the vendor's library; its own words are above")
    }
}

/// Panics if the library reports an error.
async fn ask(question: Value) -> Value {
    let asking = move || LIBRARY.lock().unwrap_or_else(PoisonError::into_inner).ask(&question);
    let answer = tokio::task::spawn_blocking(asking).await.unwrap();
    assert!(answer["error"].is_null(), "the vendor's library: {}", answer["error"]);
    answer
}

pub async fn sign(key: &str, url: &str, params: &[(String, String)]) -> String {
    let answer = ask(json!({ "do": "sign", "key": key, "url": url, "params": params })).await;
    answer["signature"].as_str().unwrap().to_owned()
}

/// A verb of a document.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Verb {
    pub verb: String,
    pub attributes: std::collections::BTreeMap<String, String>,
    pub text: String,
    pub children: Vec<Verb>,
}

impl Verb {
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

/// The verbs of a document, which must be equal to the output of the vendor's builder.
pub async fn read(twiml: &str) -> Vec<Verb> {
    let mut answer = ask(json!({ "do": "read", "twiml": twiml })).await;
    serde_json::from_value(answer["verbs"].take()).unwrap()
}

/// The fake's responses, parsed by the vendor's client.
pub async fn client(api: &str, account: &str, token: &str, to: &str, recording: Value) -> Value {
    let question = json!({
        "do": "client", "api": api, "account": account, "token": token, "to": to, "recording": recording
    });
    ask(question).await
}
