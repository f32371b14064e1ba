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
        "publish_staff": "full", "language": "en", "country": "US", "description": "Air conditioning since 1998.",
        "url": "https://desert-peak.example/", "telephone": "+1 602 555 0100",
        "address": {"street_address": "12 Main St", "locality": "Mesa", "region": "AZ", "postal_code": "85201", "country": "US"},
        "geo": {"latitude": 33.4, "longitude": -111.9}, "same_as": ["https://maps.example/dp"],
        "hours": [{"days": ["monday", "friday"], "opens": "08:00", "closes": "17:30"}, {"days": ["saturday"], "opens": "22:00", "closes": "02:00"}],
        "review_links": [{"name": "Google", "url": "https://g.example/dp/review"}],
        "review_policy": {"moderation": "Never for the stars.", "contact": "mailto:reviews@dp.example"},
        "services": [{"id": "ac", "name": "AC repair", "synonyms": ["a/c"]}, {"id": "heat", "name": "Heating"}],
        "technicians": [{"id": "t1", "name": "Mike Alvarez", "aliases": ["Big Mike"]}],
        "service_areas": ["Mesa", "Gilbert"]
    })
}

#[test]
fn init_sets_stated_values_and_keeps_the_others() {
    let home = Home::new();
    home.steps(
        r#"
        init --name DP --type Electrical ✗ the nearest is Electrician
        part.json ← {"telephone": "1"}
        business part.json ✗ id: missing
        "#,
    );
    home.run_err(&["init", "--name=A\u{1}B"], "has the control character");
    assert!(!home.path().exists(), "a database was left");
    home.steps(
        r"
        init --telephone '+1 602 555 0100' → telephone   +1 602 555 0100
        init --name 'Desert Peak' → time zone   not set; `reviews init --time-zone ZONE` sets it
        init --name 'Desert Peak Air' --type plumber --time-zone America/Phoenix → type        Plumber\n
        init --type https://schema.org/HVACBusiness → type        HVACBusiness\n
        init --url https://desert-peak.example/ --address '12 Main St, Mesa, AZ 85201, US' → telephone   +1 602 555 0100\naddress     12 Main St, Mesa, AZ, 85201, US\n
        init --country us → language    not set, so pages are in English; `reviews init --language es` (or de, fr) changes that\n
        init --language es-MX → language    es-MX, so pages are in Español\n
        init --language it → language    it, which pages do not have, so they are in English\n
        init --language x_y ✗ is not a language tag
        init --time-zone america/phoenix ✗ write it like America/Phoenix
        init --name '' ✗ a value is required for '--name <N>'
        init --address 'a, b, c, d, e, f' ✗ STREET, TOWN, REGION
        init --country USA ✗ is not a country code of ISO 3166
        init --type 'Roofing Contractor' ✗ the nearest is RoofingContractor
        sql: select business_id, name from business → desert-peak|Desert Peak Air
        init --telephone 1 → note        /transparency
        init → next        `reviews import FILE` adds reviews, then `reviews serve` publishes them\n
        ",
    );
}

#[test]
fn a_file_changes_and_names_only_stated_members() {
    let home = home();
    home.steps(
        r#"
        new.json ← {"telephone": "+1 602 555 0199"}
        business new.json → \nchanged     telephone\n
        business new.json → nothing changed\n
        lists.json ← {"services": [{"id": "heat", "name": "Heating"}, {"id": "duct", "name": "Ducts"}], "service_areas": ["Gilbert", "Mesa"]}
        null.json ← {"description": null, "geo": null, "services": null, "type": null, "review_links": [], "country": "de", "address": {"street_address": null, "postal_code": "85202"}}
        off.json ← {"publish_staff": "off"}
        "#,
    );
    let files = ["lists.json", "null.json", "off.json"];
    let changes = files.map(|file| home.run_ok(&["business", file], "").out);
    for (change, shown) in changes.iter().zip([
        "\nchanged     service_areas, services\n",
        "\nchanged     address, country, description, geo, review_links, services, type\n",
        "\nchanged     publish_staff\n",
    ]) {
        assert_has(change, shown);
    }
    // What is printed can be loaded again.
    let printed = home.run("business").out;
    insta::assert_snapshot!("changed", printed);
    home.file("printed.json", &printed);
    home.run_ok("business printed.json", "nothing changed");
    // The last part of the address goes with it; `--replace` keeps only `publish_staff` and the time zone.
    home.steps(
        r#"
        none.json ← {"address": {"locality": null, "region": null, "postal_code": null, "country": null}}
        business none.json → changed     address
        small.json ← {"id": "dp", "name": "DP"}
        business small.json --replace → service_areas, technicians
        "#,
    );
    insta::assert_snapshot!("replaced", home.run("business").out);
}

#[test]
fn wrong_members_are_refused_with_the_nearest_name() {
    let home = home();
    for [content, expected] in table(
        r#"
        {"country": "USA"} → country: "USA" is not a country code of ISO 3166; write it like US or DE
        {"publish_staff": "some"} → publish_staff: unknown variant `some`, expected `full` or `off`
        {"review_links": [{"name": "Google", "url": "http://g.example/"}]} → review_links[0].url: "http://g.example/" must begin with https://
        {"hours": [{"days": ["mon"], "opens": "08:00", "closes": "17:00"}]} → hours[0].days[0]: unknown variant `mon`, expected one of `monday`, `tuesday`
        {"hours": [{"days": ["monday"], "opens": "8:00", "closes": "17:00"}]} → hours[0].opens: "8:00" is not a time of day
        {"address": {"postcode": "1"}} → address.postcode: is unknown, did you mean postal_code?
        {"review_policy": {"contact": "http://dp.example"}} → review_policy.contact: "http://dp.example" is neither an email address like mailto:
        {"name": "X",NL "addres": {}} → file.json:2:12: addres: is unknown
        {NL "name": nullNL} → file.json:2:10: name: missing
        {NL "type": "Resturant"NL} → file.json:2:10: type: `Resturant` is not schema.org's LocalBusiness or one of its subtypes; the nearest is Restaurant
        "#,
    ) {
        home.file("file.json", &content.replace("NL", "\n"));
        home.run_err("business file.json", expected);
    }
    home.file("file.json", "{\n \"id\": \"x\"\n}");
    home.run_err(
        "business file.json --replace",
        "file.json:3:1: name: missing",
    );
    assert_eq!(home.json("business"), all());
}

/// The database keeps each of these as one text of JSON, whose parts may be short enough.
#[test]
fn lists_and_objects_that_are_too_long_in_all_are_refused() {
    let home = home();
    let long = "x".repeat(40 << 10);
    let url = |end: &str| format!("https://a.example/{long}{end}");
    let links = ["1", "2"].map(|name| json!({"name": name, "url": url(name)}));
    for (member, path) in [
        (
            json!({"review_policy": {"collection": long, "moderation": long}}),
            "review_policy",
        ),
        (json!({"same_as": [url("1"), url("2")]}), "same_as"),
        (json!({"review_links": links}), "review_links"),
        (
            json!({"address": {"locality": long, "region": long}}),
            "address",
        ),
        (
            json!({"services": [{"id": "a", "name": "A", "synonyms": [long, format!("{long}2")]}]}),
            "services[0].synonyms",
        ),
        (
            json!({"technicians": [{"id": "a", "name": "A", "aliases": [long, format!("{long}2")]}]}),
            "technicians[0].aliases",
        ),
    ] {
        home.file("long.json", &member.to_string());
        let refusal = format!("{path}: has more than 64 KiB in all; shorten it");
        home.run_err("business long.json", &refusal);
    }
}

#[test]
fn the_review_policy_is_merged_and_missing_parts_are_named() {
    let home = home();
    home.steps(
        r#"
        status → policy        /transparency has "not stated" for collection, verification, incentives; state it as review_policy in a file for
        init --country US → note        /transparency has "not stated" for collection, verification, incentives
        new.json ← {"review_policy": {"moderation": null, "incentives": "None.", "verification": " ", "collection": "By mail."}}
        business new.json → changed     review_policy
        "#,
    );
    let policy = json!({"collection": "By mail.", "incentives": "None.", "contact": "mailto:reviews@dp.example"});
    assert_eq!(home.json("business")["review_policy"], policy);
    home.file("none.json", "{\"review_policy\": null}");
    home.run_ok("business none.json", "changed     review_policy");
    let status = home.json("status --json");
    let parts = status["policy_not_stated"].as_array().unwrap();
    let parts: Vec<&str> = parts.iter().map(|part| part.as_str().unwrap()).collect();
    let every = "collection verification moderation incentives contact";
    assert_eq!(parts.join(" "), every);
}
