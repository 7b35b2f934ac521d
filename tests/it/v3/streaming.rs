//! A page of many thousand people is streamed: the server never holds all of it in memory.

use std::{collections::HashSet, io::Read};

use endonym::domain::moment::Moment;
use serde::de::IgnoredAny;

use crate::support::{
    database::{crowd, execute},
    process::{Installation, MemoryWatch, allocated_memory},
};

/// Five such responses are in progress at once, and read one after the other: by version 3 and version 2, of the page,
/// of the institution and of a name, some of them compressed. If they were buffered, they would need several times the
/// available memory.
#[tokio::test]
async fn a_page_of_many_thousand_people_streams_in_bounded_memory() {
    let (here, token) = Installation::with_token().await;
    let count = 15_000;
    let name = "Wolfeschlegelsteinhausenbergerdorff ".repeat(5);
    let database = here.database().await;
    let page = "SELECT institution_id, id FROM name_pages";
    let page = database.read().one(page, &[], |row| Ok((row.id(0)?, row.id(1)?))).await.unwrap();
    let (institution, page) = page.unwrap();
    crowd(&database, institution, page, 0..count, "", Moment::from_micros(1)).await;
    // Snippets are most of a response.
    let recorded =
        "UPDATE participants SET recording = $1, recorded_at = id + 1, first_name = $2, first_name_key = $3";
    let (name, key) = (name.trim().to_owned(), name.trim().to_lowercase());
    execute(&database, recorded, vec!["a".repeat(32).into(), name.clone().into(), key.into()]).await;
    here.succeed(&["name-page", "update", "--institution", "example", "class", "--allow-v2"]);
    let institutions = here.json(&["institution", "list", "--json"]);
    let everywhere = institutions["institutions"][0]["access_code"].as_str().unwrap().to_owned();
    let pages = here.json(&["name-page", "list", "--institution", "example", "--json"]);
    let code = pages["name_pages"][0]["access_code"].as_str().unwrap().to_owned();
    // Four of the answers wait while another one is read: on a slow machine, that is slower than the minimum rate.
    let serving = here.serve(&["--write-rate", "0", "--write-seconds", "600"]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let address = |path: &str| format!("{}/api/private{path}", serving.base);
    // The first request allocates memory that does not count.
    client
        .get(address(&format!("/v3/names?auth_token={token}&access_code=class&email=p0@x.org")))
        .send()
        .await
        .unwrap();
    let before = allocated_memory(serving.pid()).unwrap();
    let watch = MemoryWatch::start(serving.pid());
    let mut under_way = Vec::new();
    for (path, coding) in [
        (format!("/v3/names?auth_token={token}&access_code=class&include_extended_attributes=1"), "gzip"),
        (format!("/v3/names?auth_token={token}&access_code={everywhere}"), "identity"),
        (format!("/v2/names?access_code={code}"), "identity"),
        (format!("/v2/names?access_code={everywhere}"), "gzip"),
        (format!("/v3/name?auth_token={token}&first_name={name}"), "gzip"),
    ] {
        let answer = client.get(address(&path)).header("Accept-Encoding", coding).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        assert!(!answer.headers().contains_key("content-length"), "{path}: it is sent in pieces");
        assert_eq!(answer.headers().contains_key("content-encoding"), coding == "gzip", "{path}");
        under_way.push((path, answer));
    }
    let mut sent = 0;
    for (path, answer) in under_way {
        let compressed = answer.headers().contains_key("content-encoding");
        let bytes = answer.bytes().await.unwrap();
        let mut text = String::new();
        if compressed {
            flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        } else {
            text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
        sent += text.len() as u64 / 1024;
        // Without a `Value` for each of them, which would take longer than everything else.
        serde_json::from_str::<IgnoredAny>(&text).expect("JSON that is whole");
        let emails = text.split("\"email\":\"").skip(1).map(|rest| rest.split('"').next().unwrap());
        let emails: Vec<&str> = emails.collect();
        assert_eq!(emails.len(), count, "{path}");
        assert_eq!(emails.into_iter().collect::<HashSet<_>>().len(), count, "{path}");
    }
    let grown = watch.peak().saturating_sub(before);
    println!("{sent} kB sent, {grown} kB more memory");
    assert!(grown > 0 && grown < 100 * 1024 && grown * 2 < sent, "{grown} kB for {sent} kB");
    assert_eq!(serving.stop().await, 0);
}
