//! The public pages, and the snippets that other pages embed.

mod badge;
pub mod browser;
mod files;
mod images;
pub mod languages;
mod legacy;
mod player;
mod public;
mod replaced;
mod security_txt;
mod snippets;

use reqwest::header::HeaderMap;

use crate::support::World;

/// Six seconds of a swelling tone, long enough for a test to look at.
pub const SOUND: &[u8] = include_bytes!("fixtures/sound.mp3");

struct Page {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Page {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

async fn page(world: &World, path: &str) -> Page {
    let address = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", world.base) };
    let answer = world.client.get(address).send().await.unwrap();
    let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
    Page { status, headers, text: answer.text().await.unwrap() }
}

/// All values of an attribute.
fn attributes<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    text.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The size of the page with its styles and scripts, in bytes.
async fn size(world: &World, path: &str) -> usize {
    let first = page(world, path).await;
    let parts = attributes(&first.text, "href").into_iter().chain(attributes(&first.text, "src"));
    let mut size = first.text.len();
    for part in parts.filter(|part| part.contains(".css") || part.contains(".js")) {
        let part = page(world, part).await;
        assert_eq!(part.status, 200);
        assert!(part.header("cache-control").contains("immutable"));
        size += part.text.len();
    }
    size
}
