//! What counts as praise and as blame: recommendations, warnings, announced drawbacks, and complaints about one thing.

use super::*;
use crate::support::table;

/// Makes this the only review of the firm.
async fn set_review(app: &TestApp, stars: &str, text: &str) {
    let text = text.replace('\'', "''");
    app.shell(&format!(
        "update review set rating = {stars}, text = '{text}'"
    ))
    .await;
}

/// The numbers of positive and negative whole reviews, and of positive votes for the service.
async fn votes(app: &TestApp) -> [u64; 3] {
    let insights = app.json("/insights.json").await;
    let whole = &insights["overall_sentiment"];
    let service = &insights["entities"]["services"][0];
    let counts = [
        &whole["positive_count"],
        &whole["negative_count"],
        &service["positive_count"],
    ];
    counts.map(|count| count.as_u64().unwrap())
}

#[tokio::test]
async fn recommendations_and_warnings_judge_only_the_business() {
    let app = firm(&[("a", "")]).await;
    for [stars, expected, text] in table(
        "
        5 → [0, 0, 0] → I highly recommend downloading the water heater form!
        5 → [0, 0, 0] → I would recommend that you measure the water heater first.
        5 → [1, 0, 1] → I highly recommend using them for a water heater!
        5 → [1, 0, 1] → I would recommend that you call them for a water heater.
        5 → [1, 0, 1] → I highly recommend going here for a water heater.
        1 → [0, 1, 0] → Please don't come!
        1 → [0, 1, 0] → Do not come here.
        1 → [0, 1, 0] → Don't go there.
        5 → [1, 0, 0] → Don't go anywhere else!
        ",
    ) {
        set_review(&app, stars, text).await;
        assert_eq!(format!("{:?}", votes(&app).await), expected, "{text}");
    }
}

/// The type of a business, the stars and the text of its review, and the judged aspects.
const JUDGED: &str = "
    # An announced drawback is blame whatever the stars; a complaint blames no aspect that it does not name.
    Hotel → 5 → The only downside was the lack of air conditioning. → atmosphere-
    Hotel → 4 → Major flaw is the absence of an elevator. → atmosphere-
    Hotel → 3 → Rooms are small but well equipped. → atmosphere-
    Restaurant → 1 → Con: patchy table service. → -
    Restaurant → 5 → The pasta was great and I got full really fast. → food+
    Restaurant → 5 → There is always a lively and friendly crowd of locals. → -
    Restaurant → 5 → For dessert the Crema Catalana was amazing. → food+
    Restaurant → 5 → We had dumplings and they were great. → food+
    Restaurant → 1 → Not tasty and the batter was just nasty. → food-
    Restaurant → 4 → We took eight clients to lunch. → -
    Restaurant → 4 → We were seated at an excellent table. → -
    Restaurant → 5 → The owner and the staff are all Thai as well. → -
    Restaurant → 4 → I've definitely had better kimchi pancakes. → -
    Hotel → 4 → The mattress was kind of firm. → -
    Hotel → 4 → My husband travels a great deal. → -
    Hotel → 4 → The free breakfast was the usual faire. → -
    Hotel → 4 → The clerk acted like they were expecting me. → -
    Hotel → 4 → There were buses but we never heard any of them. → atmosphere+
    GeneralContractor → 5 → Al didn't finish the job, it's not Al's problem. → -
    HairSalon → 5 → She cut my dirty blonde hair. → -
    Dentist → 5 → The patient before me was rude. → -
    Plumber → 5 → Quickly became our go-to electrician. → -
    Plumber → 5 → The fast food place below us flooded and they handled it. → workmanship+
    Plumber → 1 → He was cold and nasty to my mother. → professionalism-
";

#[tokio::test]
async fn words_judge_by_context() {
    let app = firm(&[("a", "")]).await;
    for [kind, stars, text, judged] in table(JUDGED) {
        app.sql(&format!("update business set type = '{kind}'"));
        set_review(&app, stars, text).await;
        let found = "select coalesce(group_concat(aspect || iif(polarity = 'positive', '+', '-')), '-')
                     from derived_finding where polarity in ('positive', 'negative') and aspect <> 'overall'";
        assert_eq!(app.sql(found), judged, "{text}");
    }
}
