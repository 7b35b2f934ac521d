//! sipp: a trunk that follows a scenario, and fails if we deviate from it.

use tempfile::TempDir;

use super::{Program, free_ports};

pub struct Sipp {
    pub port: u16,
    program: Program,
    #[allow(dead_code)]
    folder: TempDir,
}

impl Sipp {
    /// Waits for one call and runs this list of `<recv>`, `<send>` and so on.
    pub async fn start(scenario: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"ISO-8859-1\" ?>\n<!DOCTYPE scenario SYSTEM \"sipp.dtd\">\n\
             <scenario name=\"trunk\">\n{scenario}\n</scenario>\n"
        );
        std::fs::write(folder.path().join("scenario.xml"), text).unwrap();
        let port = free_ports(6);
        let (at, sound) = (port.to_string(), (port + 2).to_string());
        let arguments = [
            "-sf",
            "scenario.xml",
            "-i",
            "127.0.0.1",
            "-p",
            &at,
            "-m",
            "1",
            "-nostdin",
            "-mp",
            &sound,
            "-trace_err",
            "-error_file",
            "errors.log",
            "-timeout",
            "60",
            "-timeout_error",
        ];
        let program = Program::start("sipp", folder.path(), &arguments);
        program.until_at(port).await;
        Self { port, program, folder }
    }

    /// Did the scenario complete as expected?
    pub async fn expect_success(self) {
        let good = self.program.succeeded().await;
        let errors = std::fs::read_to_string(self.folder.path().join("errors.log")).unwrap_or_default();
        assert!(good, "sipp is not content: {errors}\n{}", self.program.said());
    }
}

/// Accepts a call, and stores the dialog's parameters for its own requests.
pub const RING: &str = r#"
<recv request="INVITE"><action>
    <ereg regexp=".*" search_in="hdr" header="From:" check_it="true" assign_to="1"/>
    <ereg regexp=".*" search_in="hdr" header="To:" check_it="true" assign_to="2"/>
    <ereg regexp="sip:[0-9A-Za-z+@.:;=%-]*" search_in="hdr" header="Contact:" check_it="true" assign_to="3"/>
</action></recv>
<nop><action><log message="from [$1] to [$2] at [$3]"/></action></nop>
"#;

/// A response to the last request: the status line, and further headers, each with its line end.
pub fn answer(line: &str, headers: &str) -> String {
    format!(
        "<send><![CDATA[\nSIP/2.0 {line}\n[last_Via:]\n[last_From:]\n[last_To:];tag=[pid]SIPp[call_number]\n\
         [last_Call-ID:]\n[last_CSeq:]\nContact: <sip:[local_ip]:[local_port]>\n{headers}Content-Length: 0\n\n]]></send>\n"
    )
}

/// A response to a request within the dialog.
pub fn agree() -> String {
    "<send><![CDATA[\nSIP/2.0 200 OK\n[last_Via:]\n[last_From:]\n[last_To:]\n[last_Call-ID:]\n[last_CSeq:]\n\
     Content-Length: 0\n\n]]></send>\n"
        .to_owned()
}

/// Answers, with RTP at sipp's media port.
pub fn pick_up(line: &str, headers: &str) -> String {
    format!(
        "<send><![CDATA[\nSIP/2.0 {line}\n[last_Via:]\n[last_From:]\n[last_To:];tag=[pid]SIPp[call_number]\n\
         [last_Call-ID:]\nCSeq: 1 INVITE\nContact: <sip:[local_ip]:[local_port]>\n{headers}\
         Content-Type: application/sdp\nContent-Length: [len]\n\n{}]]></send>\n",
        sound("sendrecv")
    )
}

pub fn sound(direction: &str) -> String {
    format!(
        "v=0\no=sipp 1 1 IN IP[media_ip_type] [media_ip]\ns=-\nc=IN IP[media_ip_type] [media_ip]\nt=0 0\nm=audio [media_port] RTP/AVP 0 101\n\
         a=rtpmap:0 PCMU/8000\na=rtpmap:101 telephone-event/8000\na={direction}\n"
    )
}

/// A request within the dialog: method, CSeq number, further headers, and a body.
pub fn request(method: &str, number: u32, headers: &str, body: &str) -> String {
    format!(
        "<send><![CDATA[\n{method} [$3] SIP/2.0\nVia: SIP/2.0/UDP [local_ip]:[local_port];branch=[branch]\n\
         From:[$2];tag=[pid]SIPp[call_number]\nTo:[$1]\nCall-ID: [call_id]\nCSeq: {number} {method}\n\
         Contact: <sip:[local_ip]:[local_port]>\nMax-Forwards: 70\n{headers}Content-Length: [len]\n\n{body}]]></send>\n"
    )
}

pub fn hears(status: u16) -> String {
    format!("<recv response=\"{status}\"/>\n")
}

/// The response must contain this.
pub fn hears_with(status: u16, expected: &str) -> String {
    format!(
        "<recv response=\"{status}\"><action><ereg regexp=\"{expected}\" search_in=\"msg\" check_it=\"true\" \
         assign_to=\"4\"/></action></recv>\n<nop><action><log message=\"[$4]\"/></action></nop>\n"
    )
}

pub fn takes(method: &str) -> String {
    format!("<recv request=\"{method}\"/>\n")
}
