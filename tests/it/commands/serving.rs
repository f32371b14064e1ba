//! `reviews serve`: greeting, publication of changes, stop and SIGKILL.

use super::*;

#[test]
fn serve_says_how_to_set_up_a_database_without_a_business() {
    let home = Home::new();
    let serving = home.command("serve --database 'my firm.db'").serve();
    let command = "reviews init --name NAME --type TYPE --time-zone ZONE --country CC";
    let heading = "This service is not set up yet. In another terminal, set up your business:";
    let advice = format!("{heading}\n\n  {command} --database 'my firm.db'\n");
    assert_has(&serving.greeting, &advice);
    assert!(serving.get("/").contains(command));
    let log = serving.log.text();
    assert!(!log.contains("database.migrated"), "{log}");
}

#[test]
fn serve_prints_urls_database_and_counts() {
    let home = Home::with(7);
    home.run_ok("init --name 'Desert Peak'", "Desert Peak");
    home.sql("update review set status = 'withheld' where review_id = 'p-1'");
    let serving = home.serve();
    for part in [
        "Reviews of Desert Peak: 6 published, 1 withheld\n",
        "Database  reviews.db\n",
    ] {
        assert_has(&serving.greeting, part);
    }
    let base = format!("http://{}", serving.address);
    let urls = serving.greeting.split_whitespace();
    let paths = urls.filter_map(|word| word.strip_prefix(&base));
    let paths: Vec<&str> = paths.collect();
    assert!(paths.len() >= 10, "{}", serving.greeting);
    for path in ["/reviews.json", "/docs", "/mcp", "/api/websub/hub"] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
    // The hub and `/mcp` accept only POST.
    let is_read = |path: &&&str| !["/api/websub/hub", "/mcp"].contains(*path);
    for path in paths.iter().filter(is_read) {
        serving.get(path);
    }
    assert_eq!(serving.ids().len(), 6);
}
