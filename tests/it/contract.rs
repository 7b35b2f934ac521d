//! docs/contract.md names the test for each open point of the contract. This checks that those tests exist.

use std::path::Path;

#[test]
fn every_test_that_the_contract_page_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/contract.md")).unwrap();
    let mut sources = String::new();
    read_all(&root.join("tests"), &mut sources);
    read_all(&root.join("src"), &mut sources);
    let named: Vec<&str> = page
        .lines()
        .filter(|line| {
            line.strip_prefix("| ").is_some_and(|row| row.starts_with(|c: char| c.is_ascii_digit()))
        })
        .filter_map(|line| line.trim_end_matches([' ', '|']).rsplit('|').next())
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect();
    assert!(named.len() > 30, "the page names {} tests", named.len());
    for name in named {
        let function = name.rsplit("::").next().unwrap();
        assert!(
            sources.contains(&format!("fn {function}(")),
            "docs/contract.md names `{name}`, which is no test"
        );
    }
}

fn read_all(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read_all(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}
