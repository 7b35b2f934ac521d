//! GET /name: people by their attributes, all of which must match.

use std::collections::HashSet;

use endonym::{
    app::imports::CallPolicy,
    domain::{
        email::Email,
        participant::{Draft, Given},
    },
};
use serde_json::json;

use super::{JULY, SECOND, data, error, get, get_as, hex};
use crate::support::{World, emails, import::import};

async fn found(world: &World, query: &str) -> String {
    let body = get(world, &format!("/name?{query}")).await.expect(200);
    emails(data(&body)).join(" ")
}

/// Three people who have some attributes in common.
async fn people() -> World {
    let world = World::new().await;
    for (first, last, email, id) in [
        ("Siobhán", "Ní Bhriain", "siobhan@x.org", "S-1"),
        ("siobhÁn", "O’Brien", "other@x.org", "S-2"),
        ("Zoë", "NÍ BHRIAIN", "zoe@x.org", "S-3"),
    ] {
        let person = json!({ "first_name": first, "last_name": last, "email": email, "institution_id": id });
        world.person_on(&world.page, person).await;
    }
    world.record(&world.page, "other@x.org", &hex('a'), JULY).await;
    world.record(&world.page, "zoe@x.org", &hex('b'), JULY + SECOND).await;
    world
}

#[tokio::test]
async fn all_attributes_that_are_given_must_match() {
    let world = people().await;
    for (query, wanted) in [
        ("email=siobhan@x.org", "siobhan@x.org"),
        ("institution_id=S-2", "other@x.org"),
        ("first_name=Siobhán", "other@x.org siobhan@x.org"),
        ("last_name=Ní Bhriain", "zoe@x.org siobhan@x.org"),
        ("first_name=Siobhán&last_name=Ní Bhriain", "siobhan@x.org"),
        ("first_name=Zoë&last_name=Ní Bhriain&institution_id=S-3&email=zoe@x.org", "zoe@x.org"),
        ("first_name=Zoë&last_name=Ní Bhriain&institution_id=S-1", ""),
        ("email=zoe@x.org&first_name=Siobhán", ""),
        ("email=zoe@x.org&institution_id=S-1", ""),
        ("institution_id=S-1&last_name=O’Brien", ""),
        ("first_name=Siob", ""),
        ("first_name=%25", ""),
        ("last_name=Null", ""),
    ] {
        assert_eq!(found(&world, query).await, wanted, "{query}");
    }
}

#[tokio::test]
async fn names_match_without_regard_to_case_composition_and_blanks_around_them() {
    let world = people().await;
    for query in [
        "first_name=SIOBHÁN&last_name=ní+bhriain",
        "first_name=Siobha\u{301}n&last_name=Ni\u{301} Bhriain",
        "first_name=%20siobhán%20&last_name=%20NÍ%20BHRIAIN",
        "first_name[]=siobhán&last_name=ní%20bhriain&middle_name=x",
    ] {
        assert_eq!(found(&world, query).await, "siobhan@x.org", "{query}");
    }
    assert_eq!(found(&world, "first_name=Siobhan").await, "", "another letter is another name");
    world.person_on(&world.page, json!({ "last_name": "Null", "email": "null@x.org" })).await;
    assert_eq!(found(&world, "last_name=null").await, "null@x.org", "people are called that");
}

#[tokio::test]
async fn a_name_that_changes_is_found_by_its_new_form_alone() {
    let world = people().await;
    let change = json!({ "name_page_id": world.page.slug, "participant": { "first_name": "Zoey", "last_name": null } });
    world.put("/v5/participants/zoe@x.org", change).await.expect(200);
    assert_eq!(found(&world, "first_name=zoey").await, "zoe@x.org");
    assert_eq!(found(&world, "first_name=Zoë").await, "");
    assert_eq!(found(&world, "last_name=Ní Bhriain").await, "siobhan@x.org");
    world.delete("/v5/participants/zoe@x.org", json!({ "name_page_id": world.page.slug })).await.expect(200);
    assert_eq!(found(&world, "first_name=zoey").await, "");
}

#[tokio::test]
async fn nothing_to_look_up_by_is_an_error() {
    let world = people().await;
    let message = "Unprocessable entity: email, institution_id, first_name and last_name can't all be blank";
    for query in ["", "first_name=&last_name=%20", "email=null", "name=Zoë", "access_code=CLASS-OF-2027"] {
        assert_eq!(get(&world, &format!("/name?{query}")).await.expect(422), error(message), "{query}");
    }
}

#[tokio::test]
async fn with_an_access_code_it_is_people_of_that_page_and_without_one_everybody_of_the_token() {
    let world = people().await;
    let (choir, neighbor) = (world.page("Choir").await, world.neighbor().await);
    let person = json!({ "first_name": "Zoë", "email": "zoe@x.org", "institution_id": "S-3" });
    world.person_on(&choir, person).await;
    for (query, here, there, everywhere) in [
        ("first_name=Zoë", 1, 1, 2),
        ("email=zoe@x.org", 1, 1, 2),
        ("institution_id=S-3", 1, 1, 2),
        ("last_name=Ní Bhriain", 2, 0, 2),
        ("first_name=Siobhán&last_name=O’Brien", 1, 0, 1),
    ] {
        let count = async |scope: &str| {
            let body = get(&world, &format!("/name?{query}{scope}")).await.expect(200);
            data(&body).as_array().unwrap().len()
        };
        assert_eq!(count(&format!("&access_code={}", world.page.access_code)).await, here, "{query}");
        assert_eq!(count(&format!("&access_code={}", choir.slug)).await, there, "{query}");
        assert_eq!(
            count(&format!("&access_code={}", world.institution.access_code)).await,
            everywhere,
            "{query}"
        );
        assert_eq!(count("").await, everywhere, "{query}");
        assert_eq!(count("&access_code=").await, everywhere, "{query}");
        let theirs = get_as(&world, &neighbor.token, &format!("/name?{query}")).await.expect(200);
        assert_eq!(data(&theirs), &json!([]), "{query}: nobody of another institution");
        let code = &neighbor.page.access_code;
        let answer = get(&world, &format!("/name?{query}&access_code={code}")).await;
        assert_eq!(answer.expect(404), error("Not Found"), "{query}");
    }
}

/// More than one batch, on several pages, each once, recorded ones first.
#[tokio::test]
async fn everybody_of_a_very_common_name_is_found() {
    let world = World::new().await;
    let pages = [world.page.clone(), world.page("Choir").await, world.page("Chess").await];
    for (number, page) in pages.iter().enumerate() {
        let line = |n: usize| Draft {
            first_name: Given::Set(if n.is_multiple_of(7) { "Marie".into() } else { "Maria".into() }),
            last_name: Given::Set(format!("Silva {}", n % 2)),
            email: Given::Set(Email::parse(&format!("m{number}-{n}@x.org")).unwrap()),
            ..Draft::default()
        };
        let here = (world.institution.id, page.id);
        import(&world.app, here, (0..700).map(line).collect(), CallPolicy::Nobody, false).await;
    }
    world.record(&pages[2], "m2-699@x.org", &hex('a'), JULY).await;
    for (query, wanted) in [
        ("first_name=maria", 1_800),
        ("last_name=silva+1", 1_050),
        ("first_name=MARIA&last_name=SILVA+1", 900),
        ("first_name=maria&access_code=chess", 600),
        ("last_name=silva+1&access_code=chess", 350),
        ("first_name=maria&last_name=silva+1&access_code=chess", 300),
    ] {
        let body = get(&world, &format!("/name?{query}")).await.expect(200);
        let all = emails(data(&body));
        assert_eq!(all.len(), wanted, "{query}");
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), wanted, "{query}");
        assert_eq!(all[0], "m2-699@x.org", "{query}");
    }
}
