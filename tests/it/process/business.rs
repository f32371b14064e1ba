//! `reviews business` and `reviews init`: setting up and changing the business.

use super::*;

/// A business with a value for every member.
fn home() -> Home {
    let home = Home::new();
    home.file("all.json", &all().to_string());
    home.run_ok("business all.json", "Desert Peak");
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
        "review_policy": {"moderation": "Never for the stars.", "contact": "mailto:reviews@dp.example"},
        "services": [{"id": "ac", "name": "AC repair", "synonyms": ["a/c"]}, {"id": "heat", "name": "Heating"}],
        "technicians": [{"id": "t1", "name": "Mike Alvarez", "aliases": ["Big Mike"]}],
        "service_areas": ["Mesa", "Gilbert"]
    })
}

impl Home {
    fn business(&self) -> Value {
        serde_json::from_str(&self.run_ok("business", "").out).unwrap()
    }
}

#[test]
fn an_empty_option_of_init_is_refused_and_changes_nothing() {
    let home = home();
    for (option, advice) in [("--name", "give a name"), ("--telephone", "give a number")] {
        home.run_err(
            &["init", option, " "],
            &format!("{option} is empty; leave it out, or {advice}"),
        );
    }
    assert_eq!(home.business()["telephone"], "+1 602 555 0100");
}

#[test]
fn a_file_with_one_member_changes_only_that_member() {
    let home = home();
    home.file("new.json", r#"{"telephone": "+1 602 555 0199"}"#);
    let done = home.run_ok("business new.json", "Desert Peak");
    assert!(
        done.out
            .ends_with("\n- telephone \"+1 602 555 0100\"\n+ telephone \"+1 602 555 0199\"\n"),
        "{}",
        done.out
    );
    let mut expected = all();
    expected["telephone"] = json!("+1 602 555 0199");
    assert_eq!(home.business(), expected);
    home.run_ok("business new.json", "nothing changed\n");
}

#[test]
fn a_list_is_replaced_and_the_difference_names_each_item() {
    let home = home();
    home.steps(
        r#"new.json ← {"services": [{"id": "heat", "name": "Heating"}, {"id": "duct", "name": "Ducts"}], "service_areas": ["Gilbert", "Mesa"]}"#,
    );
    let done = home.run_ok(
        "business new.json",
        "2 services, 1 technician, 2 service areas",
    );
    for line in [
        "~ service_areas in another order\n",
        "- services {\"id\":\"ac\",\"name\":\"AC repair\",\"synonyms\":[\"a/c\"]}\n",
        "+ services {\"id\":\"duct\",\"name\":\"Ducts\"}\n",
    ] {
        assert!(done.out.contains(line), "{line}: {}", done.out);
    }
    assert!(!done.out.contains("heat"), "{}", done.out);
    assert_eq!(home.business()["service_areas"], json!(["Gilbert", "Mesa"]));
    assert_eq!(home.business()["technicians"], all()["technicians"]);
}

#[test]
fn null_removes_a_member_and_a_part_of_the_address() {
    let home = home();
    home.steps(
        r#"
        new.json ← {"description": null, "geo": null, "services": null, "type": null, "address": {"street_address": null, "postal_code": "85202"}}
        business new.json → - description "Air conditioning since 1998."\n
        "#,
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
    home.steps("business nameless.json ✗ nameless.json:2:10: name: missing");
}

#[test]
fn replace_keeps_only_publish_staff_and_time_zone() {
    let home = home();
    home.file("small.json", r#"{"id": "dp", "name": "DP"}"#);
    home.run_ok("business small.json --replace", "0 services");
    assert_eq!(
        home.business(),
        json!({
            "id": "dp", "name": "DP", "type": "LocalBusiness", "time_zone": "America/Phoenix", "publish_staff": "first_name",
            "same_as": [], "services": [], "technicians": [], "service_areas": []
        })
    );
    home.file("part.json", r#"{"name": "DP"}"#);
    home.run_err("business part.json --replace", "id: missing");
}

#[test]
fn invalid_countries_and_review_links_are_refused() {
    let home = home();
    for [content, expected] in table(
        r#"
        {"country": "USA"} → country: "USA" is not a country code of ISO 3166; write it like US or DE
        {"review_links": [{"name": "Google", "url": "http://g.example/"}]} → review_links[0].url: "http://g.example/" must begin with https://
        {"review_links": [{"name": "Google"}]} → review_links[0].url: missing
        {"review_links": [{"url": "https://g.example/"}]} → review_links[0].name: missing
        {"review_links": [{"name": "Google", "link": "https://g.example/"}]} → review_links[0].link: is unknown, did you mean
        "#,
    ) {
        home.file("file.json", content);
        home.run_err("business file.json", expected);
        assert_eq!(home.business(), all());
    }
    home.file("new.json", r#"{"country": "de", "review_links": []}"#);
    home.run_ok("business new.json", "+ country \"DE\"\n");
    assert_eq!(home.business().get("review_links"), None);
}

#[test]
fn the_review_policy_is_merged_by_member_and_what_is_missing_is_named() {
    let home = home();
    let advice = "/transparency has \"not stated\" for collection, verification, incentives; state it as review_policy in a file for";
    home.run_ok("status", &format!("policy        {advice}"));
    home.run_ok("init --country US", &format!("note        {advice}"));
    let long = "a".repeat(2_001);
    for (content, expected) in [
        (
            r#"{"contact": "http://dp.example"}"#,
            "review_policy.contact: \"http://dp.example\" is neither",
        ),
        (
            r#"{"contact": "mailto:dp"}"#,
            "review_policy.contact: \"mailto:dp\" is neither",
        ),
        (
            r#"{"contact": "javascript:alert(1)"}"#,
            "is neither an email address like mailto:",
        ),
        (
            r#"{"incentives": 5}"#,
            "review_policy.incentives: not a text",
        ),
        (
            r#"{"incentive": "None."}"#,
            "review_policy.incentive: is unknown, did you mean incentives?",
        ),
        (
            &format!(r#"{{"collection": "{long}"}}"#),
            "review_policy.collection: longer than 2000 characters",
        ),
    ] {
        home.file("file.json", &format!(r#"{{"review_policy": {content}}}"#));
        home.run_err("business file.json", expected);
        assert_eq!(home.business(), all());
    }
    home.file(
        "new.json",
        &format!(r#"{{"review_policy": {{"moderation": null, "incentives": "None.", "verification": " ", "collection": "{}"}}}}"#, &long[1..]),
    );
    home.run_ok("business new.json", "+ review_policy");
    let policy = &home.business()["review_policy"];
    assert_eq!(
        policy,
        &json!({"collection": long[1..], "incentives": "None.", "contact": "mailto:reviews@dp.example"})
    );
    home.file("none.json", r#"{"review_policy": null}"#);
    home.run_ok("business none.json", "- review_policy");
    let status: Value = serde_json::from_str(&home.run_ok("status --json", "").out).unwrap();
    let all = [
        "collection",
        "verification",
        "moderation",
        "incentives",
        "contact",
    ];
    assert_eq!(status["policy_not_stated"], json!(all));
}

#[test]
fn an_unknown_member_is_refused_with_the_nearest_name() {
    let home = home();
    for [content, expected] in table(
        r#"
        {"phone": "1"} → phone: is unknown, did you mean telephone?
        {"address": {"postcode": "1"}} → address.postcode: is unknown, did you mean postal_code?
        {"address": {"streetAddress": "1"}} → address.streetAddress: is unknown, did you mean street_address?
        {"services": [{"id": "a", "name": "A"}, {"id": "b", "name": "B", "synonym": ["c"]}]} → services[1].synonym: is unknown, did you mean synonyms?
        {"technicians": [{"id": "a", "name": "A", "alias": ["B"]}]} → technicians[0].alias: is unknown, did you mean aliases?
        "#,
    ) {
        home.file("file.json", content);
        home.run_err("business file.json", expected);
        home.run_err("business file.json --replace", expected);
    }
    home.file("file.json", "{\"name\": \"X\",\n \"addres\": {}}");
    home.run_err("business file.json", "file.json:2:12: addres: is unknown");
    assert_eq!(home.business(), all());
    let none = Home::new();
    none.file("part.json", r#"{"telephone": "1"}"#);
    none.run_err("business part.json", "id: missing");
    assert!(!none.path().exists(), "a database was left");
}

#[test]
fn a_business_without_an_id_gets_it_from_the_first_name() {
    let home = Home::new();
    home.run_ok("init --telephone '+1 602 555 0100'", "not set");
    home.run_ok("init --name 'Desert Peak'", "Desert Peak");
    assert_eq!(home.business()["id"], "desert-peak");
    home.run_ok("init --name 'Desert Peak Air'", "Desert Peak Air");
    assert_eq!(home.business()["id"], "desert-peak");
}

#[test]
fn removing_the_last_part_of_an_address_removes_the_address() {
    let home = Home::new();
    home.steps(
        r#"
        init --name 'Desert Peak' --address '12 Main St, Mesa' → 12 Main St, Mesa
        new.json ← {"address": {"street_address": null, "locality": null}}
        business new.json → no address
        "#,
    );
    assert_eq!(home.business().get("address"), None);
}

#[test]
fn an_unknown_schema_org_type_is_refused_with_the_nearest_name() {
    let home = Home::new();
    for (given, nearest) in [
        ("Plumbing", "Plumber"),
        ("HVAC", "HVACBusiness"),
        ("Roofing Contractor", "RoofingContractor"),
        ("Electrical", "Electrician"),
    ] {
        home.run_err(
            &["init", "--name", "DP", "--type", given],
            &format!("the nearest is {nearest}"),
        );
        assert!(!home.path().exists(), "a database was created");
    }
    // Types may be in any case, or a URL of schema.org.
    for (given, taken) in [
        ("plumber", "Plumber"),
        ("https://schema.org/HVACBusiness", "HVACBusiness"),
        ("LocalBusiness", "LocalBusiness"),
        ("NailSalon", "NailSalon"),
    ] {
        home.run_ok(
            &["init", "--name", "DP", "--type", given],
            &format!("type        {taken}\n"),
        );
    }
    home.file("type.json", "{\n \"type\": \"Resturant\"\n}");
    home.run_err("business type.json",
        "type.json:2:10: type: `Resturant` is not schema.org's LocalBusiness or one of its subtypes; the nearest is Restaurant",
    );
}

#[test]
fn loading_the_printed_business_does_not_set_the_time_zone() {
    let home = Home::new();
    home.run_ok("init --name 'Desert Peak'", "time zone   not set");
    let printed = home.run_ok("business", "Desert Peak").out;
    assert!(!printed.contains("time_zone"), "{printed}");
    home.file("b.json", &printed);
    home.steps(
        r#"
        business b.json → time zone   not set
        google.json ← {"reviews": [{"name": "accounts/1/locations/7/reviews/a", "reviewer": {"displayName": "Ann"}, "starRating": "FIVE", "createTime": "2026-10-02T03:30:00Z"}]}
        import google.json ✗ time zone, which is not set; run `reviews init --time-zone ZONE`
        init --time-zone UTC → time zone   UTC
        "#,
    );
    assert_eq!(home.business()["time_zone"], "UTC");
}
