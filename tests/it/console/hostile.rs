//! What somebody outside has typed is text, and never code: every field is filled with what breaks out of everything, and then every page
//! is read on which it may be.

mod fill;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use endonym::{
    app::{Actor, mail_texts, people_tasks},
    console,
    domain::{
        ids::ParticipantId, language::Language, mail_text::PageMailKind, member::Role,
        people_task::TaskAction,
    },
};
use reqwest::Method;
use serde_json::Value;

use self::fill::{Table, is_typed, mark};
use super::{id_of, member_named, see};
use crate::{
    me::{Browser, Seen},
    support::{
        Setup, World,
        html::{self, EVIL},
        routes,
    },
};

const ANA: &str = "ana@example.edu";

/// Visits pages, and every page that they lead to.
struct Crawl<'a> {
    world: &'a World,
    browser: &'a Browser<'a>,
    table: &'a Table,
    waiting: VecDeque<String>,
    /// How often each path was visited, whatever the query.
    visits: BTreeMap<String, usize>,
    /// The paths that were shown.
    shown: BTreeSet<String>,
    /// The fields that were seen, by their numbers.
    seen: BTreeSet<usize>,
}

/// Where links are followed.
const FOLLOWED: [&str; 6] = ["/console/example", "/p/", "/me", "/badges/", "/players/", "/sign-in?"];
/// A list has links to itself, sorted and filtered in many ways.
const MOST_VISITS: usize = 4;

fn header<'a>(seen: &'a Seen, name: &str) -> &'a str {
    seen.headers.get(name).map_or("", |value| value.to_str().unwrap())
}

impl Crawl<'_> {
    async fn run(&mut self) {
        while let Some(address) = self.waiting.pop_front() {
            let path = address.split('?').next().unwrap().to_owned();
            let visits = self.visits.entry(path.clone()).or_default();
            *visits += 1;
            if *visits > MOST_VISITS {
                continue;
            }
            let seen = see(self.browser, &address).await;
            assert!(!seen.status.is_server_error(), "{address}: {} {}", seen.status, seen.body);
            if seen.status == 200 {
                self.shown.insert(path);
            }
            if header(&seen, "content-type").starts_with("text/html") {
                self.check(&address, &seen);
            }
        }
        assert!(self.visits.len() < 1_000, "{:?}", self.visits);
    }

    /// A page of HTML.
    fn check(&mut self, address: &str, seen: &Seen) {
        self.check_body(address, &seen.body);
        let policy = header(seen, "content-security-policy");
        assert!(policy.contains("default-src 'none'"), "{address}: {policy}");
        let scripts = policy.split("; ").find(|part| part.starts_with("script-src"));
        assert!(scripts.is_none_or(|part| part == "script-src 'self'"), "{address}: {policy}");
        if address.starts_with("/console") {
            assert_eq!(header(seen, "x-content-type-options"), "nosniff", "{address}");
            assert!(policy.contains("frame-ancestors 'none'"), "{address}: {policy}");
            assert_eq!(header(seen, "x-frame-options"), "DENY", "{address}");
        }
        for link in html::links(&seen.body) {
            let link = link.strip_prefix(&self.world.base).unwrap_or(&link);
            let link = link.split('#').next().unwrap_or_default();
            if FOLLOWED.iter().any(|start| link.starts_with(start)) && !link.ends_with(".mp3") {
                self.waiting.push_back(link.to_owned());
            }
        }
    }

    fn check_body(&mut self, address: &str, body: &str) {
        let faults = html::faults(body, is_typed);
        assert!(faults.is_empty(), "{address}: {faults:?} in {body}");
        self.seen.extend((0..self.table.0.len()).filter(|number| body.contains(&mark(*number))));
    }
}

/// Pages of the console that are not HTML, or that need something which takes long to make. `security.rs` asks for them.
const NOT_SHOWN: [&str; 5] = [
    "/console/{slug}/events",
    "/console/{slug}/jobs/exports/{id}",
    "/console/{slug}/moderation/{id}/audio",
    "/console/{slug}/moderation/{id}/photo",
    "/console/{slug}/people/{id}/audio/{hex}",
];

/// Is this a path of that rule? Ids are numbers.
fn is_of(rule: &str, path: &str) -> bool {
    let (parts, found): (Vec<&str>, Vec<&str>) = (rule.split('/').collect(), path.split('/').collect());
    let fits = |(part, found): (&&str, &&str)| match *part {
        "{id}" => found.starts_with(|c: char| c.is_ascii_digit()),
        part if part.starts_with('{') => !found.is_empty(),
        part => part == *found,
    };
    parts.len() == found.len() && parts.iter().zip(&found).all(fits)
}

/// The pages at which to begin. All others are reached by links.
fn seeds(world: &World, ana: &Value, ids: [ParticipantId; 2], more: &[String]) -> VecDeque<String> {
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(
            ["q", "done", "state", "list", "sort", "after", "before", "from", "to", "page", "kind", "act"]
                .into_iter()
                .chain(["who", "person", "email", "language", "message", "action", "field", "why"])
                .map(|name| (name, format!("{}{EVIL}", mark(0)))),
        )
        .finish();
    let gets = console::rules().into_iter().filter(|rule| rule.method == Method::GET);
    let plain = gets.filter(|rule| rule.path.matches('{').count() == 1);
    let plain = plain.map(|rule| rule.path.replace("{slug}", "example"));
    let plain: Vec<String> = plain.filter(|path| !path.ends_with("/events")).collect();
    let pages = routes::of("name_pages").into_iter().filter(|route| route.has_get);
    let pages = pages.filter(|route| route.path.matches('{').count() == 1 && route.path.contains("{slug}"));
    let pages = pages.map(|route| route.path.replace("{slug}", &world.page.slug));
    let pages: Vec<String> = pages.filter(|path| !path.ends_with(".mp3")).collect();
    let [one, other] = ids;
    let home = "/console/example";
    let mut all: VecDeque<String> = plain.iter().chain(&pages).cloned().collect();
    all.extend(plain.iter().chain(&pages).map(|path| format!("{path}?{query}")));
    all.extend(["", "/edit", "/record", "/delete"].map(|below| format!("{home}/people/{one}{below}")));
    all.extend(
        ["move", "tag", "delete"]
            .map(|action| format!("{home}/people/bulk?action={action}&id={one}&id={other}")),
    );
    all.extend([
        format!("{home}/people/merge?keep={one}&other={other}"),
        format!("{home}/people?q={}", mark(0)),
        format!("{home}/moderation?list=decided"),
        format!("{home}/messages/texts?message=invitation&language=en"),
        format!("{home}/settings/consent?language=en"),
        format!("{home}/tokens?state=all"),
        "/sign-in?institution=example".to_owned(),
        "/me/legal-name".to_owned(),
        "/me/delete".to_owned(),
    ]);
    let badge = ana["name_badge_link"].as_str().unwrap().strip_prefix(&world.base).unwrap();
    all.extend([badge.to_owned(), badge.replace("/badges/", "/players/")]);
    all.extend(more.iter().cloned());
    all
}

#[tokio::test]
async fn what_somebody_has_typed_never_runs() {
    let world = World::with(Setup { sqlite: true, multiple_recordings: true, ..Setup::default() }).await;
    let (app, operator, id) = (&world.app, &Actor::Operator, world.institution.id);
    let mut table = Table::default();
    // In the place of `mark(0)`: see `seeds`.
    table.mark("a query");
    fill::institution(&world, &mut table).await;
    let ana = fill::people(&world, &mut table).await;
    let systems = fill::systems(&world, &mut table).await;
    let owner = member_named(&world, &world.institution, ANA, Role::Owner, &[]).await;
    fill::moderation(&world, &mut table, &owner).await;
    let ids = [id_of(&world, ANA).await, id_of(&world, "cy@example.edu").await];
    world.person("Zoe", "zoe@example.edu").await;
    let whom = people_tasks::Whom::These(vec![id_of(&world, "zoe@example.edu").await]);
    let task = people_tasks::begin(app, operator, id, &whom, TaskAction::Delete).await.unwrap();

    let mut more = vec![format!("/console/example/people/tasks/{task}")];
    more.extend(systems.map(|system| format!("/console/example/learning-systems/{}", system.id)));
    let (table, waiting) = (&table, seeds(&world, &ana, ids, &more));
    let (visits, shown, seen) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    let mut crawl = Crawl { world: &world, browser: &owner, table, waiting, visits, shown, seen };
    crawl.run().await;
    for kind in PageMailKind::ALL {
        let preview = mail_texts::preview(app, operator, id, kind, Language::English, None).await.unwrap();
        crawl.check_body(kind.word(), &preview.html);
    }

    let missed = (0..table.0.len()).filter(|number| !crawl.seen.contains(number));
    let missed: Vec<&str> = missed.map(|number| table.0[number]).collect();
    assert!(missed.is_empty(), "no page has shown {missed:?}: the check would not find a mistake");
    let gets = console::rules().into_iter().filter(|rule| rule.method == Method::GET);
    let unseen = gets.filter(|rule| {
        let rule = rule.path.replace("{slug}", "example");
        !crawl.shown.iter().any(|path| is_of(&rule, path))
    });
    let unseen = unseen.map(|rule| rule.path).filter(|path| !NOT_SHOWN.contains(path));
    let unseen: Vec<&str> = unseen.collect();
    assert!(unseen.is_empty(), "no link leads to {unseen:?}: add them to the seeds");
}
