//! The files under `deploy/` refer only to existing commands, settings and files.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use endonym::config::DEFAULTS;
use yaml_rust2::{Yaml, YamlLoader};

use crate::support::process::{BINARY, CommandOutput};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

const UNITS: [&str; 2] = ["deploy/endonym.service", "deploy/endonym-work.service"];

/// The names of the settings' environment variables.
fn settings() -> BTreeSet<String> {
    let file: toml::Table = DEFAULTS.parse().unwrap();
    let of_file = file.keys().map(|key| format!("ENDONYM_{}", key.to_uppercase()));
    of_file.chain(["ENDONYM_CONFIG".to_owned()]).collect()
}

/// The default of a setting.
pub fn default_number(key: &str) -> i64 {
    let file: toml::Table = DEFAULTS.parse().unwrap();
    file[key].as_integer().unwrap()
}

#[test]
fn every_variable_is_a_setting() {
    let known = settings();
    let mut seen = 0;
    for name in UNITS.into_iter().chain([
        "deploy/Dockerfile",
        "deploy/compose.yaml",
        "deploy/endonym.env.example",
        "deploy/cluster/compose.yaml",
        "deploy/cluster/cluster.env.example",
        "deploy/cluster/machine.env.example",
        "deploy/kubernetes/settings.yaml",
        "deploy/kubernetes/migrate.yaml",
        "deploy/kubernetes/endonym.yaml",
        "docs/operations.md",
    ]) {
        let text = read(name);
        for (at, _) in text.match_indices("ENDONYM_") {
            let rest = &text[at..];
            let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '_').unwrap_or(rest.len());
            let variable = &rest[..end];
            // `ENDONYM_…` stands for any of them.
            let any = variable == "ENDONYM_";
            assert!(any || known.contains(variable), "{name} speaks of {variable}");
            seen += 1;
        }
    }
    assert!(seen > 10);
}

fn help(words: &[&str]) -> String {
    CommandOutput::of(Command::new(BINARY).args(words).arg("--help").current_dir("/")).succeeded()
}

/// The words after `endonym`: the command must exist and have these flags.
pub fn check_command(words: &[&str], of: &str) {
    let (command, rest) = words.split_first().unwrap_or_else(|| panic!("{of} has a command"));
    let is_there = help(&[]).contains(&format!("\n  {command} "));
    assert!(is_there, "{of} runs `endonym {command}`");
    let help = help(&[command]);
    for flag in rest.iter().filter(|word| word.starts_with("--")) {
        let is_there = help.contains(&format!("{flag} "));
        assert!(is_there, "{of} runs `endonym {command}` with {flag}");
    }
}

#[test]
fn every_command_of_the_units_is_there_and_they_are_shut_in() {
    for name in UNITS {
        let unit = read(name);
        let value = |key: &str| {
            let mut lines = unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            lines.next_back().unwrap_or_else(|| panic!("{name} has no {key}")).to_owned()
        };
        let start = value("ExecStart");
        let words: Vec<&str> = start.split_whitespace().collect();
        assert_eq!(words[0], "/usr/local/bin/endonym");
        check_command(&words[1..], name);
        for (key, wanted) in [
            ("User", "endonym"),
            ("ProtectSystem", "strict"),
            ("NoNewPrivileges", "yes"),
            ("CapabilityBoundingSet", ""),
            ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_UNIX"),
            ("Restart", "on-failure"),
            ("StateDirectory", "endonym"),
        ] {
            assert_eq!(value(key), wanted, "{name}: {key}");
        }
        let patience: i64 = value("TimeoutStopSec").parse().unwrap();
        assert!(patience > default_number("grace_seconds") + 5, "{name} kills what is being finished");
    }
    assert!(read(UNITS[0]).contains(" ENDONYM_METRICS_LISTEN=127.0.0.1:9090\n"));
    let files: i64 = read(UNITS[0])
        .lines()
        .find_map(|line| line.strip_prefix("LimitNOFILE=")?.parse().ok())
        .expect("LimitNOFILE");
    assert!(files > 2 * default_number("connections"));
    assert!(read("deploy/endonym.sysusers").lines().any(|line| line.starts_with("u endonym ")));
}

/// The lines of the Dockerfile, with continuation lines joined.
fn dockerfile() -> Vec<String> {
    let text = read("deploy/Dockerfile").replace("\\\n", " ");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// The paths that the build stage copies from the project.
fn copied() -> Vec<PathBuf> {
    let lines = dockerfile();
    let copies =
        lines.iter().filter_map(|line| line.strip_prefix("COPY ")).filter(|rest| !rest.starts_with("--"));
    let sources = copies.flat_map(|rest| {
        let words: Vec<&str> = rest.split_whitespace().collect();
        words[..words.len() - 1].iter().map(PathBuf::from).collect::<Vec<_>>()
    });
    sources.collect()
}

#[test]
fn every_file_that_the_build_reads_is_copied() {
    let copied = copied();
    assert!(copied.len() > 5);
    for path in &copied {
        assert!(root().join(path).exists(), "the Dockerfile copies {}", path.display());
    }
    let is_copied = |path: &Path| copied.iter().any(|one| path.starts_with(one));
    for needed in
        ["Cargo.toml", "Cargo.lock", "src/main.rs", "media/Cargo.toml", "media/src/lib.rs", "templates"]
    {
        assert!(is_copied(Path::new(needed)), "{needed} is not copied");
    }
    let mut embedded = 0;
    for folder in ["src", "media/src"] {
        for file in files(&root().join(folder)) {
            let text = std::fs::read_to_string(&file).unwrap();
            for (at, _) in text.match_indices("include_") {
                // `include_str!("…")`, or a path prefix in a macro.
                let Some((call, rest)) = text[at..].split_once('"') else { continue };
                if call.contains('\n') || !call.contains("!(") {
                    continue;
                }
                let path = file.parent().unwrap().join(rest.split_once('"').unwrap().0);
                let path = path.canonicalize().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
                let path = path.strip_prefix(root().canonicalize().unwrap()).unwrap();
                assert!(is_copied(path), "{} is built in and not copied", path.display());
                embedded += 1;
            }
        }
    }
    assert!(embedded > 8, "{embedded}");
    // Nothing else is sent to the builder.
    let let_through: BTreeSet<PathBuf> =
        read(".dockerignore").lines().filter_map(|line| line.strip_prefix('!')).map(PathBuf::from).collect();
    assert_eq!(let_through, copied.into_iter().collect());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// `["a", "b"]`
fn list(text: &str) -> Vec<String> {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn check_list(words: &[String], of: &str) {
    check_command(&words.iter().map(String::as_str).collect::<Vec<_>>(), of);
}

#[test]
fn the_image_runs_our_commands_as_somebody_who_is_not_root() {
    let lines = dockerfile();
    let froms: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("FROM ")).collect();
    assert_eq!(froms.len(), 2, "one to build, one to run");
    assert!(froms.iter().all(|from| !from.contains('/')), "no registry is named: {froms:?}");
    let release = froms[0].split(['-', ':']).nth(1).unwrap();
    let manifest: toml::Table = read("Cargo.toml").parse().unwrap();
    let oldest = manifest["package"]["rust-version"].as_str().unwrap();
    let minor = |version: &str| version.split('.').nth(1).unwrap().parse::<u32>().unwrap();
    assert!(minor(release) >= minor(oldest), "{release} builds what asks for {oldest}");
    let last =
        |word: &str| lines.iter().filter_map(|line| line.strip_prefix(word)).next_back().unwrap().trim();
    assert_eq!(list(last("ENTRYPOINT ")), ["endonym"]);
    check_list(&list(last("CMD ")), "the Dockerfile");
    let (_, health) = last("HEALTHCHECK ").split_once("CMD ").unwrap();
    check_list(&list(health)[1..], "the health check");
    let user: u32 = last("USER ").split(':').next().unwrap().parse().expect("a number");
    assert!(user > 0 && last("RUN ").contains(&format!("--uid {user} ")));
    assert!(last("ENV ").contains(&format!("ENDONYM_DATA_DIR={}", last("VOLUME "))));
}

/// Checks what both compose files have in common, and returns the document and the number of services that run our image.
fn checked_compose(name: &str) -> (Yaml, usize) {
    let mut documents = YamlLoader::load_from_str(&read(name)).unwrap();
    let (Some(compose), None) = (documents.pop(), documents.pop()) else { panic!("{name}: one document") };
    let folder = root().join(name).parent().unwrap().to_owned();
    let volumes = compose["volumes"].as_hash().unwrap();
    let mut ours = 0;
    for (service, one) in compose["services"].as_hash().unwrap() {
        let service = service.as_str().unwrap();
        for volume in shared(one, "volumes").as_vec().into_iter().flatten() {
            let (volume, _) = volume.as_str().unwrap().split_once(':').unwrap();
            let known = if volume.starts_with('.') {
                folder.join(volume).is_file()
            } else {
                volumes.contains_key(&Yaml::String(volume.into()))
            };
            assert!(known, "{name}: {service} has the volume {volume}");
        }
        let image = shared(one, "image").as_str().unwrap();
        let registry = image.split_once('/').filter(|(first, _)| first.contains(['.', ':']));
        assert_eq!(registry, None, "no registry is named");
        if image != "endonym" {
            assert!(image.contains(':'), "{name}: {image} has a version");
            continue;
        }
        assert_eq!(shared(one, "build")["dockerfile"].as_str(), Some("deploy/Dockerfile"));
        let command = shared(one, "command").as_vec().unwrap();
        let words: Vec<&str> = command.iter().map(|word| word.as_str().unwrap()).collect();
        check_command(&words, service);
        ours += 1;
        // A service that does not listen must not have a readiness check.
        let is_checked = shared(one, "healthcheck")["disable"].as_bool() != Some(true);
        assert_eq!(is_checked, words[0] == "serve", "{name}: {service}");
        if words[0] == "migrate" {
            continue;
        }
        let waits = &shared(one, "depends_on")["migrate"]["condition"];
        assert_eq!(waits.as_str(), Some("service_completed_successfully"), "{name}: {service}");
        let grace = shared(one, "stop_grace_period").as_str().unwrap().trim_end_matches('s');
        assert!(grace.parse::<i64>().unwrap() > default_number("grace_seconds") + 5, "{name}: {service}");
    }
    (compose, ours)
}

#[test]
fn the_compose_file_is_one_and_starts_things_in_order() {
    let (compose, ours) = checked_compose("deploy/compose.yaml");
    assert_eq!(ours, 3);
    let services = &compose["services"];
    let ports = services["serve"]["ports"].as_vec().unwrap();
    assert!(ports.iter().all(|port| port.as_str().unwrap().starts_with("127.0.0.1:")), "{ports:?}");
    assert_eq!(services["migrate"]["depends_on"]["postgres"]["condition"].as_str(), Some("service_healthy"));
    assert!(!services["postgres"]["healthcheck"]["test"].is_badvalue());
}

#[test]
fn the_compose_file_of_three_nodes_fits_its_nginx_and_its_settings() {
    let (compose, ours) = checked_compose("deploy/cluster/compose.yaml");
    assert_eq!(ours, 4, "three nodes and the migration");
    let services = &compose["services"];
    for (service, other, condition) in [
        ("standby", "primary", "service_healthy"),
        ("synchronous", "standby", "service_healthy"),
        ("migrate", "synchronous", "service_completed_successfully"),
        ("migrate", "s3", "service_healthy"),
    ] {
        let waits = &services[service]["depends_on"][other]["condition"];
        assert_eq!(waits.as_str(), Some(condition), "{service}: {other}");
        let is_checked = !shared(&services[other], "healthcheck")["test"].is_badvalue();
        assert_eq!(is_checked, condition == "service_healthy", "{other}");
    }
    let address = |service: &str| services[service]["networks"]["inside"]["ipv4_address"].as_str().unwrap();
    let nginx = read("deploy/cluster/nginx.conf");
    for node in ["node1", "node2", "node3"] {
        let line = format!("    server {}:8080 ", address(node));
        assert_eq!(nginx.matches(&line).count(), 1, "{node}");
    }
    assert_eq!(nginx.matches("\n    server ").count(), 3);
    let settings = read("deploy/cluster/cluster.env.example");
    let trusted = format!("ENDONYM_TRUSTED_PROXIES={}/32\n", address("nginx"));
    assert!(settings.contains(&trusted), "{settings}");
    // Three nodes, a command, and what PostgreSQL reserves.
    let needed = 4 * default_number("database_connections") + 3;
    for server in ["primary", "standby"] {
        let words = services[server]["command"].as_vec().unwrap().iter().filter_map(Yaml::as_str);
        let given = words.filter_map(|word| word.strip_prefix("max_connections=")).next_back();
        assert!(given.unwrap().parse::<i64>().unwrap() >= needed, "{server}");
    }
}

/// The settings of a service, including those merged with `<<`.
fn shared<'a>(service: &'a Yaml, key: &str) -> &'a Yaml {
    let merged = &service["<<"];
    if service[key].is_badvalue() && !merged.is_badvalue() { shared(merged, key) } else { &service[key] }
}

/// An example that people copy must not contain a working secret, nor be part of the build context.
#[test]
fn secrets_stay_out_of_the_project() {
    assert!(read(".gitignore").lines().any(|line| line == "/deploy/endonym.env"));
    let example = read("deploy/endonym.env.example");
    assert_eq!(example.matches("change-me").count(), 2, "{example}");
    assert!(read(".gitignore").lines().any(|line| line == "/deploy/cluster/cluster.env"));
    for (name, secrets) in [
        ("deploy/cluster/cluster.env.example", 5),
        ("deploy/cluster/machine.env.example", 3),
        ("deploy/kubernetes/settings.yaml", 3),
    ] {
        assert_eq!(read(name).matches("change-me").count(), secrets, "{name}");
    }
}
