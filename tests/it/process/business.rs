//! The business, as its owner sets it up and changes it month by month.

use std::fs;

use serde_json::{Value, json};

use super::{Home, reviews};
use crate::support::sqlite3;

/// A firm that has filled in everything.
fn home() -> Home {
    let home = Home::new();
    home.file("all.json", &all().to_string());
    home.does(&["business", "all.json"], "Desert Peak");
    home
}

fn all() -> Value {
    json!({
        "id": "desert-peak", "name": "Desert Peak", "type": "HVACBusiness", "time_zone": "America/Phoenix",
        "publish_staff": "first_name", "language": "en", "country": "US", "description": "Air conditioning since 1998.",
        "url": "https://desert-peak.example/", "telephone": "+1 602 555 0100",
        "address": {"street_address": "12 Main St", "locality": "Mesa", "region": "AZ", "postal_code": "85201", "country": "US"},
        "geo": {"latitude": 33.4, "longitude": -111.9}, "same_as": ["https://maps.example/dp"],
        "review_links": [{"name": "Google", "url": "https://g.example/dp/review"}],
        "services": [{"id": "ac", "name": "AC repair", "synonyms": ["a/c"]}, {"id": "heat", "name": "Heating"}],
        "technicians": [{"id": "t1", "name": "Mike Alvarez", "aliases": ["Big Mike"]}],
        "service_areas": ["Mesa", "Gilbert"]
    })
}

impl Home {
    fn business(&self) -> Value {
        serde_json::from_str(&self.does(&["business"], "").out).unwrap()
    }
}

#[test]
fn an_empty_option_of_init_is_refused_and_changes_nothing() {
    let home = home();
    for (option, advice) in [("--name", "give a name"), ("--telephone", "give a number")] {
        home.refuses(
            &["init", option, " "],
            &format!("{option} is empty; leave it out, or {advice}"),
        );
    }
    assert_eq!(home.business()["telephone"], "+1 602 555 0100");
}

#[test]
fn a_file_with_one_member_changes_that_member_and_the_difference_is_shown() {
    let home = home();
    home.file("new.json", r#"{"telephone": "+1 602 555 0199"}"#);
    let said = home.does(&["business", "new.json"], "Desert Peak");
    assert!(
        said.out
            .ends_with("\n- telephone \"+1 602 555 0100\"\n+ telephone \"+1 602 555 0199\"\n"),
        "{}",
        said.out
    );
    let mut expected = all();
    expected["telephone"] = json!("+1 602 555 0199");
    assert_eq!(home.business(), expected);
    home.does(&["business", "new.json"], "nothing changed\n");
}

#[test]
fn a_list_replaces_the_list_and_the_difference_names_what_came_and_went() {
    let home = home();
    home.file(
        "new.json",
        r#"{"services": [{"id": "heat", "name": "Heating"}, {"id": "duct", "name": "Ducts"}], "service_areas": ["Gilbert", "Mesa"]}"#,
    );
    let said = home.does(
        &["business", "new.json"],
        "2 services, 1 technicians, 2 service areas",
    );
    for line in [
        "~ service_areas in another order\n",
        "- services {\"id\":\"ac\",\"name\":\"AC repair\",\"synonyms\":[\"a/c\"]}\n",
        "+ services {\"id\":\"duct\",\"name\":\"Ducts\"}\n",
    ] {
        assert!(said.out.contains(line), "{line}: {}", said.out);
    }
    assert!(!said.out.contains("heat"), "{}", said.out);
    assert_eq!(home.business()["service_areas"], json!(["Gilbert", "Mesa"]));
    assert_eq!(home.business()["technicians"], all()["technicians"]);
}

#[test]
fn null_removes_a_member_and_a_part_of_the_address() {
    let home = home();
    home.file(
        "new.json",
        r#"{"description": null, "geo": null, "services": null, "type": null, "address": {"street_address": null, "postal_code": "85202"}}"#,
    );
    home.does(
        &["business", "new.json"],
        "- description \"Air conditioning since 1998.\"\n",
    );
    let mut expected = all();
    for name in ["description", "geo"] {
        expected.as_object_mut().unwrap().remove(name);
    }
    expected["services"] = json!([]);
    expected["type"] = json!("LocalBusiness");
    expected["address"] =
        json!({"locality": "Mesa", "region": "AZ", "postal_code": "85202", "country": "US"});
    assert_eq!(home.business(), expected);
    home.file("nameless.json", "{\n \"name\": null\n}");
    home.refuses(
        &["business", "nameless.json"],
        "nameless.json:2:9: name: missing",
    );
}

#[test]
fn with_replace_the_file_is_the_whole_but_shows_nobody_and_moves_no_day() {
    let home = home();
    home.file("small.json", r#"{"id": "dp", "name": "DP"}"#);
    home.does(&["business", "small.json", "--replace"], "0 services");
    assert_eq!(
        home.business(),
        json!({
            "id": "dp", "name": "DP", "type": "LocalBusiness", "time_zone": "America/Phoenix", "publish_staff": "first_name",
            "same_as": [], "services": [], "technicians": [], "service_areas": []
        })
    );
    home.file("part.json", r#"{"name": "DP"}"#);
    home.refuses(&["business", "part.json", "--replace"], "id: missing");
}

#[test]
fn a_country_and_a_review_link_that_cannot_be_used_are_refused() {
    let home = home();
    for (content, said) in [
        (
            r#"{"country": "USA"}"#,
            "country: \"USA\" is not a country code of ISO 3166; write it like US or DE",
        ),
        (
            r#"{"review_links": [{"name": "Google", "url": "http://g.example/"}]}"#,
            "review_links[0].url: \"http://g.example/\" must begin with https://",
        ),
        (
            r#"{"review_links": [{"name": "Google"}]}"#,
            "review_links[0].url: missing",
        ),
        (
            r#"{"review_links": [{"url": "https://g.example/"}]}"#,
            "review_links[0].name: missing",
        ),
        (
            r#"{"review_links": [{"name": "Google", "link": "https://g.example/"}]}"#,
            "review_links[0].link: is unknown, did you mean",
        ),
    ] {
        home.file("file.json", content);
        home.refuses(&["business", "file.json"], said);
        assert_eq!(home.business(), all());
    }
    home.file("new.json", r#"{"country": "de", "review_links": []}"#);
    home.does(&["business", "new.json"], "+ country \"DE\"\n");
    assert_eq!(home.business().get("review_links"), None);
}

#[test]
fn a_member_that_nothing_reads_is_refused_with_the_nearest_and_nothing_is_changed() {
    let home = home();
    for (content, said) in [
        (
            "{\"name\": \"X\",\n \"addres\": {}}",
            "file.json:2:11: addres: is unknown, did you mean address?",
        ),
        (
            r#"{"phone": "1"}"#,
            "phone: is unknown, did you mean telephone?",
        ),
        (
            r#"{"address": {"postcode": "1"}}"#,
            "address.postcode: is unknown, did you mean postal_code?",
        ),
        (
            r#"{"address": {"streetAddress": "1"}}"#,
            "address.streetAddress: is unknown, did you mean street_address?",
        ),
        (
            r#"{"services": [{"id": "a", "name": "A"}, {"id": "b", "name": "B", "synonym": ["c"]}]}"#,
            "services[1].synonym: is unknown, did you mean synonyms?",
        ),
        (
            r#"{"technicians": [{"id": "a", "name": "A", "alias": ["B"]}]}"#,
            "technicians[0].alias: is unknown, did you mean aliases?",
        ),
    ] {
        home.file("file.json", content);
        home.refuses(&["business", "file.json"], said);
        home.refuses(&["business", "file.json", "--replace"], said);
        // The sample of a folder is held to the same.
        let folder = home.0.path().join("sample");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("business.json"), content).unwrap();
        let other = Home::new();
        other.refuses(
            &["seed", folder.to_str().unwrap()],
            said.split(": ").last().unwrap(),
        );
        assert!(!other.path().exists(), "nothing is left");
    }
    assert_eq!(home.business(), all());
    let none = Home::new();
    none.file("part.json", r#"{"telephone": "1"}"#);
    none.refuses(&["business", "part.json"], "id: missing");
    assert!(!none.path().exists(), "nothing is left");
}

#[test]
fn a_business_that_was_created_without_a_name_gets_its_id_with_its_first_name() {
    let home = Home::new();
    home.does(&["init", "--telephone", "+1 602 555 0100"], "not set");
    home.does(&["init", "--name", "Desert Peak"], "Desert Peak");
    assert_eq!(home.business()["id"], "desert-peak");
    home.does(&["init", "--name", "Desert Peak Air"], "Desert Peak Air");
    assert_eq!(home.business()["id"], "desert-peak");
}

#[test]
fn an_address_whose_last_part_is_removed_is_gone() {
    let home = Home::new();
    home.does(
        &[
            "init",
            "--name",
            "Desert Peak",
            "--address",
            "12 Main St, Mesa",
        ],
        "12 Main St, Mesa",
    );
    home.file(
        "new.json",
        r#"{"address": {"street_address": null, "locality": null}}"#,
    );
    home.does(&["business", "new.json"], "no address");
    assert_eq!(home.business().get("address"), None);
}

#[test]
fn a_type_that_schema_org_does_not_have_is_refused_with_the_nearest() {
    let home = Home::new();
    for (given, nearest) in [
        ("Plumbing", "Plumber"),
        ("HVAC", "HVACBusiness"),
        ("Roofing Contractor", "RoofingContractor"),
        ("Electrical", "Electrician"),
    ] {
        home.refuses(
            &["init", "--name", "DP", "--type", given],
            &format!("the nearest is {nearest}"),
        );
        assert!(!home.path().exists(), "nothing is made");
    }
    // In any case, and as schema.org's own URL.
    for (given, taken) in [
        ("plumber", "Plumber"),
        ("https://schema.org/HVACBusiness", "HVACBusiness"),
        ("LocalBusiness", "LocalBusiness"),
        ("NailSalon", "NailSalon"),
    ] {
        home.does(
            &["init", "--name", "DP", "--type", given],
            &format!("type        {taken}\n"),
        );
    }
    home.file("type.json", "{\n \"type\": \"Resturant\"\n}");
    home.refuses(
        &["business", "type.json"],
        "type.json:2:9: type: `Resturant` is not schema.org's LocalBusiness or one of its subtypes; the nearest is Restaurant",
    );
}

#[test]
fn what_search_engines_lack_is_said_until_it_is_there_and_the_advice_works() {
    let home = Home::new();
    home.does(
        &["init", "--name", "Desert Peak"],
        "note        no address; search engines need one",
    );
    // As a former release took it.
    sqlite3(&home.path(), "update business set type = 'Plumbing'");
    let said = home.does(
        &["check"],
        "note    business: the type Plumbing is not a local business of schema.org",
    );
    let notes = said.out.lines().filter(|line| line.starts_with("note"));
    let notes = notes.collect::<Vec<_>>().join(" ");
    let quoted: Vec<&str> = notes.split('`').skip(1).step_by(2).collect();
    let [init, business] = quoted[..] else {
        panic!("{}", said.out)
    };
    let words: Vec<&str> = init.split(' ').skip(1).collect();
    home.does(&words, "type        Plumber\n");
    let start = said.out.find("{\"address\"").unwrap();
    let end = start + said.out[start..].find("}}").unwrap() + 2;
    home.file("address.json", &said.out[start..end]);
    let words: Vec<&str> = business.split(' ').skip(1).collect();
    assert_eq!(words, ["business", "FILE"]);
    let loaded = home.does(&["business", "address.json"], "+ address {");
    let checked = home.does(&["check"], "ok ");
    assert!(
        !format!("{}{}", loaded.out, checked.out).contains("note"),
        "{}",
        checked.out
    );
    assert_eq!(home.business()["type"], "Plumber");
}

#[test]
fn structured_data_says_local_business_where_the_stored_type_is_none() {
    let home = Home::with(1);
    sqlite3(
        &home.path(),
        "insert into business (business_id, name, type) values ('dp', 'DP', 'Plumbing')",
    );
    let serving = super::Serving::start(reviews(home.0.path()).arg("serve"));
    let page = serving.get("/");
    assert!(page.contains("\"@type\":\"LocalBusiness\""), "{page}");
    assert!(!page.contains("Plumbing"), "{page}");
}

#[test]
fn a_time_zone_that_was_never_set_is_not_set_by_the_file_that_is_printed() {
    let home = Home::new();
    home.does(&["init", "--name", "Desert Peak"], "time zone   not set");
    let printed = home.does(&["business"], "Desert Peak").out;
    assert!(!printed.contains("time_zone"), "{printed}");
    home.file("b.json", &printed);
    home.does(&["business", "b.json"], "time zone   not set");
    home.file(
        "google.json",
        r#"{"reviews": [{"name": "accounts/1/locations/7/reviews/a", "starRating": "FIVE", "createTime": "2026-10-02T03:30:00Z"}]}"#,
    );
    home.refuses(
        &["import", "google.json"],
        "time zone, which is not set; run `reviews init --time-zone ZONE`",
    );
    home.does(&["init", "--time-zone", "UTC"], "time zone   UTC");
    assert_eq!(home.business()["time_zone"], "UTC");
}
