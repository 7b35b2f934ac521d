//! kamailio: a trunk that authenticates its users, stays in the path of each call, and logs what it sees.

use tempfile::TempDir;

use super::{
    Program,
    baresip::{Baresip, Setup},
    free_ports,
};

pub const PASSWORD: &str = "s3cret";

pub struct Kamailio {
    pub port: u16,
    pub program: Program,
    #[allow(dead_code)]
    folder: TempDir,
}

impl Kamailio {
    pub async fn start() -> Self {
        Self::granting(600).await
    }

    /// The maximum lifetime of registrations, in seconds.
    pub async fn granting(seconds: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_ports(2);
        std::fs::write(folder.path().join("kamailio.cfg"), config(port, seconds)).unwrap();
        let path = folder.path().display().to_string();
        let arguments =
            ["-f", "kamailio.cfg", "-DD", "-E", "-m", "32", "-M", "4", "-w", &path, "-Y", &path, "-P", "pid"];
        let program = Program::start("/usr/sbin/kamailio", folder.path(), &arguments);
        program.until_at(port).await;
        program.until_listening(port).await;
        Self { port, program, folder }
    }

    /// A registered phone.
    pub async fn phone(&self, number: &str) -> Baresip {
        let phone =
            Baresip::start(number, Setup { registered: Some((self.port, PASSWORD)), ..Setup::default() })
                .await;
        self.program.until_said(&format!("registered {number}")).await;
        phone
    }
}

fn config(port: u16, granted: u32) -> String {
    format!(
        r#"#!KAMAILIO
debug=1
log_stderror=yes
children=2
tcp_children=2
auto_aliases=no
listen=udp:127.0.0.1:{port}
listen=tcp:127.0.0.1:{port}
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "xlog.so"
loadmodule "siputils.so"
loadmodule "textops.so"
loadmodule "usrloc.so"
loadmodule "registrar.so"
loadmodule "auth.so"
modparam("usrloc", "db_mode", 0)
modparam("registrar", "max_expires", {granted})
modparam("rr", "enable_double_rr", 1)
request_route {{
    xlog("L_ALERT", "saw $rm from $fU to $rU by $proto route $hdr(Route)\n");
    if (is_method("CANCEL")) {{
        if (t_check_trans()) {{ t_relay(); }}
        exit;
    }}
    if (has_totag()) {{
        if (loose_route()) {{ t_relay(); exit; }}
        if (is_method("ACK") && t_check_trans()) {{ t_relay(); exit; }}
        if (!is_method("ACK")) {{ sl_send_reply("481", "Not here"); }}
        exit;
    }}
    t_check_trans();
    if (is_method("OPTIONS")) {{ sl_send_reply("200", "OK"); exit; }}
    if (is_method("REGISTER")) {{
        if (!pv_www_authenticate("trunk.test", "{PASSWORD}", "0")) {{ www_challenge("trunk.test", "0"); exit; }}
        save("location");
        xlog("L_ALERT", "registered $au for $hdr(Expires)\n");
        exit;
    }}
    if (is_method("INVITE")) {{
        if (!pv_proxy_authenticate("trunk.test", "{PASSWORD}", "0")) {{ proxy_challenge("trunk.test", "0"); exit; }}
        consume_credentials();
        record_route();
        if (!lookup("location")) {{ sl_send_reply("404", "Not Found"); exit; }}
        t_relay();
        exit;
    }}
    sl_send_reply("405", "Method Not Allowed");
}}
"#
    )
}
