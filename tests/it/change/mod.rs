//! Changes of any program appear on all surfaces and in the text index. Here the writer is a plain SQLite connection with
//! foreign keys off.

use crate::support::{Generator, TestApp, check_in_step, table};

/// Statements that other programs run one after another. Replacing a row fires no delete trigger.
const STATEMENTS: &str = "
    # Every conflict clause.
    insert into INTO values ('a', 2, '2026-11-19', 'from the shell, first')
    insert into INTO values ('b', 2, '2026-11-19', 'from the shell, second')
    insert or replace into INTO values ('a', 2, '2026-11-19', 'replaced water heater')
    replace into INTO values ('a', 2, '2026-11-19', 'replaced again')
    insert or ignore into INTO values ('a', 2, '2026-11-19', 'never taken')
    insert or ignore into INTO values ('c', 2, '2026-11-19', 'not ignored')
    insert into INTO values ('a', 5, '2026-11-01', 'upserted') on conflict (review_id) do update set text = excluded.text
    update or replace review set review_id = 'b' where review_id = 'a'
    update or ignore review set review_id = 'b' where review_id = 'c'
    update or replace review set review_id = 'r-00001' where review_id = 'c'
    update or replace review set rating = 6 - rating, text = text || ' shell' where review_id like 'r-0000%'
    replace into review select * from review
    pragma recursive_triggers = on; replace into review select * from review where rating = 4
    update review set review_id = 'moved-' || review_id where rating = 3
    begin; delete from review where rating < 3; savepoint s; delete from review; rollback to s; commit
    # Withheld and published.
    insert into INTO values ('w', 2, '2026-11-19', 'now you see shell')
    update review set status = 'withheld', withheld_reason = 'disputed' where review_id = 'w'
    update review set text = 'changed unseen' where review_id = 'w'
    update review set verification = null, withheld_reason = '' where review_id = 'w'
    update review set verification = 'manual', status = 'published' where review_id = 'w'
    update review set status = 'withheld'
    update review set status = 'published'
    # Mentions, also before their review exists.
    insert into mention values ('m', 'technician', 'Will Grant'), ('m', 'service', 'drain')
    insert into INTO values ('m', 2, '2026-11-19', 'mentioned')
    insert or replace into mention values ('m', 'service_area', 'Mesa'), ('m', 'service_area', 'Tempe')
    insert or ignore into mention values ('m', 'service_area', 'Mesa'), ('m', 'service', 'furnace-repair')
    update mention set value = 'Dana Öberg' where review_id = 'm' and kind = 'technician'
    update or replace mention set value = 'Mesa' where review_id = 'm' and kind = 'service_area'
    update or replace mention set review_id = 'moved-r-00003' where review_id = 'm' and kind = 'service'
    update mention set kind = 'service', value = 'drain' where review_id = 'm' and kind = 'technician'
    delete from mention where value = 'drain'
    # Deleted.
    delete from review where review_id = 'm'
    delete from review where rating < 5
    delete from mention
    delete from review
    delete from review
";

#[tokio::test]
async fn statements_of_other_programs_keep_all_surfaces_consistent() {
    let app = TestApp::with(&Generator::new(4).reviews(150)).await;
    for [sql] in table(STATEMENTS) {
        let into = "review (review_id, rating, reviewed_on, text)";
        app.shell(&sql.replace("INTO", into)).await;
        check_in_step(&app).await;
    }
    let counts = "select count(*) from mention; select count(*) from review_fts";
    assert_eq!(app.sql(counts), "0\n0");
}
