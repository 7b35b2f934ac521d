//! Sample queries for the test that checks query plans.

use super::{
    arrivals::vacancies_text,
    changes::{CHANGED, changed_ids_text},
    names::named_text,
    *,
};

/// Every read of participants with sample parameters.
#[doc(hidden)]
pub fn statements() -> Vec<(&'static str, String, Vec<Value<'static>>)> {
    let (institution, page) = (Value::Int(1), Value::Int(1));
    let text = |text: &'static str| Value::from(text);
    let bounds = || bounds(Changed { after: Some(Moment::from_micros(1_000)), before: None });
    let mut all = Vec::new();
    for (by, key) in [(KeyKind::Email, "a@example.edu"), (KeyKind::Token, "0f"), (KeyKind::Identifier, "A1")]
    {
        let one = vec![institution.clone(), text(key)];
        all.push(("the best by key", best_text(by, 0), one.clone()));
        all.push(("the best by key on a page", best_text(by, 1), [one.clone(), vec![page.clone()]].concat()));
        all.push(("the best by key without a label", unlabeled_text(by, 0), one.clone()));
        let on_page = [one.clone(), vec![page.clone()]].concat();
        all.push(("the best by key on a known page", unlabeled_text(by, 1), on_page));
        let many = [vec![institution.clone()], vec![text(key); 64]].concat();
        all.push(("many by key", by_keys_text(&SELECTION, by, 64, false, 0), many.clone()));
        all.push(("keys of many", by_keys_text("p.id, p.recorded_at", by, 64, false, 0), many.clone()));
        let changed = [many.clone(), bounds().to_vec()].concat();
        all.push(("many by key and change", by_keys_text(&SELECTION, by, 64, true, 0), changed));
        all.push((
            "many by key on a page",
            by_keys_text(&SELECTION, by, 64, false, 1),
            [many.clone(), vec![page.clone()]].concat(),
        ));
        let pages = || [Value::Int(1), Value::Int(2)].to_vec();
        all.push(("the best by key on some pages", best_text(by, 2), [one, pages()].concat()));
        let on_pages = by_keys_text(REGISTRATION, by, 64, false, 2);
        all.push(("registrations by key on some pages", on_pages, [many, pages()].concat()));
    }
    for by in [known_names::Column::Email, known_names::Column::Identifier] {
        let many = [vec![institution.clone()], vec![text("a@example.edu"); 64]].concat();
        all.push(("names by key", known_names::text(by, 64), many));
    }
    let ids = [vec![institution.clone()], vec![Value::Int(7); 64]].concat();
    all.push(("many by id", by_ids_text(64), ids));
    let part = |start: i64| vec![Value::Int(start), Value::Int(10), Value::Int(0)];
    all.push((
        "a part of the institution",
        IN_INSTITUTION.one().to_owned(),
        [vec![institution.clone()], part(50)].concat(),
    ));
    all.push((
        "a part of a page",
        ON_PAGE.one().to_owned(),
        [vec![institution.clone(), page.clone()], part(5)].concat(),
    ));
    for names in [
        Names { first: Some("first7"), last: None },
        Names { first: None, last: Some("last7") },
        Names { first: Some("first7"), last: Some("last7") },
    ] {
        let keys = [names.last, names.first].into_iter().flatten().map(text);
        let place = [page.clone(), Value::Int(5), Value::Int(500)];
        let params: Vec<_> = [institution.clone()].into_iter().chain(keys).chain(place).collect();
        all.push(("by name", named_text(names, false), params.clone()));
        all.push(("by name on a page", named_text(names, true), params));
    }
    let since = [vec![institution.clone()], bounds().to_vec()].concat();
    let behind = vec![institution.clone(), Value::Int(5), Value::Int(5), Value::Int(i64::MAX)];
    all.push(("people who changed", CHANGED.clone(), [behind, vec![Value::Int(500)]].concat()));
    all.push(("the ids of people who changed", changed_ids_text(0), since.clone()));
    let on_page = [since.clone(), vec![page.clone()]].concat();
    all.push(("the ids of people who changed on a page", changed_ids_text(1), on_page));
    let on_pages = [since, vec![Value::Int(1), Value::Int(2)]].concat();
    all.push(("the ids of people who changed on some pages", changed_ids_text(2), on_pages));
    all.push((
        "where is the email registered",
        REGISTERED.to_owned(),
        vec![institution.clone(), text("a@example.edu")],
    ));
    all.push((
        "the next place of a page, and where the email is registered",
        VACANCY.clone(),
        vec![institution.clone(), text("a@example.edu"), page.clone()],
    ));
    let keys = [vec![text("a@example.edu"); 16], vec![text("A1"); 16], vec![page; 16]].concat();
    all.push((
        "what is free for people who join together",
        vacancies_text(16),
        [vec![institution.clone()], keys].concat(),
    ));
    all.push((
        "are all badges of the person listed",
        ALL_LISTED.to_owned(),
        vec![institution.clone(), text("a@example.edu")],
    ));
    all.push((
        "is the identifier taken",
        IDENTIFIER_TAKEN.to_owned(),
        vec![institution, text("A1"), text("a@example.edu")],
    ));
    all
}

/// The statements with which PostgreSQL answers many lookups at once.
#[doc(hidden)]
pub fn batches() -> Vec<(&'static str, &'static str)> {
    fn of(what: &'static str, lookups: &'static ByKey) -> impl Iterator<Item = (&'static str, &'static str)> {
        lookups.iter().flatten().map(move |lookup| (what, lookup.many()))
    }
    let best = of("the best by key", &BEST).chain(of("the best by key without a label", &UNLABELED));
    let slices = [("a part of the institution", IN_INSTITUTION.many()), ("a part of a page", ON_PAGE.many())];
    best.chain(of("everybody by key", &WITH_KEY)).chain(slices).collect()
}
