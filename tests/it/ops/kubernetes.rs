//! The manifests under `deploy/kubernetes`, checked against the schemas of Kubernetes and against our settings.

use std::{collections::BTreeSet, path::Path, process::Command};

use yaml_rust2::{Yaml, YamlLoader};

use super::deploy::{check_command, default_number, read, root};
use crate::support::process::CommandOutput;

const FILES: [&str; 3] =
    ["deploy/kubernetes/settings.yaml", "deploy/kubernetes/migrate.yaml", "deploy/kubernetes/endonym.yaml"];
/// The oldest release with security fixes, and the newest whose schemas the package has.
const RELEASES: [&str; 2] = ["1.32", "1.34"];

/// Runs `kubernetes-validate`, which contains the schemas.
#[allow(clippy::disallowed_methods)]
fn validated(file: &Path) -> CommandOutput {
    let python = std::env::var_os("ENDONYM_TEST_PYTHON").expect(
        "ENDONYM_TEST_PYTHON must name a Python with kubernetes-validate; `./test` makes one (docs/testing.md)",
    );
    let mut command = Command::new(python);
    command.args(["-m", "kubernetes_validate", "--strict"]);
    for release in RELEASES {
        command.args(["-k", release]);
    }
    CommandOutput::of(command.arg(file))
}

#[test]
fn the_manifests_follow_the_schemas() {
    for name in FILES {
        validated(&root().join(name)).succeeded();
    }
    // A misspelled key is not ignored.
    let folder = tempfile::tempdir().unwrap();
    let wrong = folder.path().join("wrong.yaml");
    std::fs::write(&wrong, read(FILES[2]).replace("readinessProbe:", "readynessProbe:")).unwrap();
    let refused = validated(&wrong);
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(refused.code != 0 && said.contains("readynessProbe"), "{said}");
}

fn documents(name: &str) -> Vec<Yaml> {
    YamlLoader::load_from_str(&read(name)).unwrap()
}

fn of_kind(documents: &[Yaml], kind: &str) -> Yaml {
    let mut found = documents.iter().filter(|one| one["kind"].as_str() == Some(kind));
    let (Some(one), None) = (found.next(), found.next()) else { panic!("one {kind}") };
    one.clone()
}

/// The only container of a pod.
fn container(pod: &Yaml) -> &Yaml {
    let containers = pod["containers"].as_vec().unwrap();
    assert_eq!(containers.len(), 1);
    &containers[0]
}

#[test]
fn pods_run_our_image_as_its_user_and_write_only_where_they_must() {
    let dockerfile = read("deploy/Dockerfile");
    let user = dockerfile.lines().find_map(|line| line.strip_prefix("USER ")?.split(':').next()).unwrap();
    let volume = dockerfile.lines().find_map(|line| line.strip_prefix("VOLUME ")).unwrap();
    let image = concat!("endonym:", env!("CARGO_PKG_VERSION"));
    for (file, kind) in [(FILES[1], "Job"), (FILES[2], "Deployment")] {
        let object = of_kind(&documents(file), kind);
        let pod = &object["spec"]["template"]["spec"];
        let context = &pod["securityContext"];
        assert_eq!(context["runAsNonRoot"].as_bool(), Some(true), "{kind}");
        assert_eq!(context["runAsUser"].as_i64(), user.parse().ok(), "{kind}");
        assert_eq!(context["seccompProfile"]["type"].as_str(), Some("RuntimeDefault"), "{kind}");
        assert_eq!(pod["automountServiceAccountToken"].as_bool(), Some(false), "{kind}");
        let container = container(pod);
        assert_eq!(container["image"].as_str(), Some(image), "{kind}");
        let words: Vec<&str> = container["args"].as_vec().unwrap().iter().filter_map(Yaml::as_str).collect();
        check_command(&words, kind);
        let context = &container["securityContext"];
        assert_eq!(context["readOnlyRootFilesystem"].as_bool(), Some(true), "{kind}");
        assert_eq!(context["allowPrivilegeEscalation"].as_bool(), Some(false), "{kind}");
        assert_eq!(context["capabilities"]["drop"][0].as_str(), Some("ALL"), "{kind}");
        let mounts = container["volumeMounts"].as_vec().unwrap().iter();
        let mounts: BTreeSet<&str> = mounts.map(|mount| mount["mountPath"].as_str().unwrap()).collect();
        assert_eq!(mounts, BTreeSet::from([volume, "/tmp"]), "{kind}");
        for (place, key) in [(0_usize, "configMapRef"), (1, "secretRef")] {
            assert_eq!(container["envFrom"][place][key]["name"].as_str(), Some("endonym"), "{kind}");
        }
    }
}

#[test]
fn the_probes_and_times_of_a_node_fit_ours() {
    let manifest = documents(FILES[2]);
    let deployment = of_kind(&manifest, "Deployment");
    let pod = &deployment["spec"]["template"]["spec"];
    let container = container(pod);
    // A database that is away must not restart the nodes.
    for (probe, path) in
        [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz"), ("startupProbe", "/healthz")]
    {
        assert_eq!(container[probe]["httpGet"]["path"].as_str(), Some(path), "{probe}");
        assert_eq!(container[probe]["httpGet"]["port"].as_str(), Some("http"), "{probe}");
        assert!(
            container[probe]["timeoutSeconds"].as_i64().unwrap() > 3,
            "{probe}: /readyz takes up to three seconds"
        );
    }
    let pause = container["lifecycle"]["preStop"]["exec"]["command"][1].as_str().unwrap();
    let patience = pod["terminationGracePeriodSeconds"].as_i64().unwrap();
    assert!(patience > pause.parse::<i64>().unwrap() + default_number("grace_seconds") + 5);

    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    assert_eq!(&deployment["spec"]["selector"]["matchLabels"], labels);
    assert_eq!(&of_kind(&manifest, "Service")["spec"]["selector"], labels);
    assert_eq!(&of_kind(&manifest, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"], labels);
    let scaler = of_kind(&manifest, "HorizontalPodAutoscaler");
    assert_eq!(scaler["spec"]["scaleTargetRef"]["name"], deployment["metadata"]["name"]);
    assert!(deployment["spec"]["replicas"].is_badvalue(), "each `apply` would undo what the scaler did");
    // The comment beside the setting says so.
    let settings = of_kind(&documents(FILES[0]), "ConfigMap");
    let connections = settings["data"]["ENDONYM_DATABASE_CONNECTIONS"].as_str().unwrap();
    let nodes = scaler["spec"]["maxReplicas"].as_i64().unwrap() + 1;
    assert!(
        (nodes + 1) * connections.parse::<i64>().unwrap() <= 97,
        "PostgreSQL has 100, of which it reserves three"
    );
}
