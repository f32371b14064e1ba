//! Which columns fill which fields, and the people in their cells.

use reviews_service::model::business::{Business, Technician};

use super::answers::import_into_new;
use super::*;

fn authors(bench: &Bench) -> String {
    bench.sql(
        "select group_concat(author, '|') from (select author from review order by reviewed_on)",
    )
}

#[tokio::test]
async fn technicians_of_the_roster_are_found_in_any_spelling() {
    let bench = bench().await;
    let person = |id: &str, name: &str, alias: &str| Technician {
        id: id.to_owned(),
        name: name.to_owned(),
        aliases: vec![alias.to_owned()],
    };
    bench
        .set_business(Business {
            technicians: vec![
                person("t1", "Mike Alvarez", "Big Mike"),
                person("t2", "Jo Poe", "Jo"),
            ],
            ..Business::default()
        })
        .await;
    let both = "Jo Poe|Mike Alvarez";
    for (number, (cell, expected)) in (1..).zip([
        ("Mike Alvarez, Jo Poe", both),
        ("Mike Alvarez & Jo Poe", both),
        ("mike alvarez and JO POE", both),
        ("Mike Alvarez/Jo", both),
        ("Mike Alvarez\nJo Poe", both),
        ("Mike Alvarez\r\nJo Poe", both),
        ("Alvarez, Mike; Poe, Jo", both),
        ("Alvarez, Mike & Poe, Jo", both),
        ("Mike Alvarez y Jo Poe", both),
        ("mike alvarez", "Mike Alvarez"),
        ("Alvarez, Mike", "Mike Alvarez"),
        ("Big Mike", "Mike Alvarez"),
        ("Mike Alvarez (mike@k.com)", "Mike Alvarez"),
        ("mike@k.com", ""),
        ("602-555-0101", ""),
        ("Mike Alvarez, Sam", "Mike Alvarez, Sam"),
        ("Smith, Bob", "Smith, Bob"),
    ]) {
        let content = format!(
            "id,rating,date,author,text,technician\nx{number},5,2026-03-01,Ann,Neat,\"{cell}\"\n"
        );
        let (_, rejections) = bench.take(content).await;
        assert_eq!(rejections, [], "{cell}");
        let review = bench.find(&format!("x{number}")).await.unwrap();
        assert_eq!(review.mentions.technicians.join("|"), expected, "{cell}");
    }
    let (report, _) = bench
        .take("Date,Name,Stars,Comment,Assigned To\n2026-03-09,Zoe,5,Quick,jo\n")
        .await;
    assert_eq!(report.new, 1);
    let found = "select value from mention where value = 'Jo Poe'";
    assert!(bench.sql(found).contains("Jo Poe"));
}

#[tokio::test]
async fn the_author_is_in_the_column_with_the_names_of_customers() {
    for [header, cells, author] in table(
        "
            Customer,Customer name → C1001,Ann Bell → Ann Bell
            Customer #,Customer name → 17,Ann Bell → Ann Bell
            Customer,First name,Last name → 1001,Ann,Bell → Ann Bell
            Name,What is your name? → ,Ann Bell → Ann Bell
            Team member name,Name → Mike,Ann Bell → Ann Bell
            Nom,Prénom → Bell,Anne → Anne Bell
            Name,Vorname → Bell,Anne → Anne Bell
            Name,Vorname → Anne Bell,Anne → Anne Bell
            Nombre,Apellidos → Ana Gil Ruiz,Gil Ruiz → Ana Gil Ruiz
            Voornaam,Achternaam → Anne,Bell → Anne Bell
            Cognome,Nome → Bell,Anna → Anna Bell
            First,Last → Anne,Bell → Anne Bell
            Customer first name,Customer last name → Anne,Bell → Anne Bell
            Nome,Cognome → Luca,De Luca → Luca De Luca
            Full Name - First Name,Full Name - Last Name → Anne,Bell → Anne Bell
            Homeowner,Tech Name → Ann Bell,Mike → Ann Bell
            Name,Public name → Anne Bell,Ann B. → Ann B.
            Kunde,Anzeigename → Anne Bell,Ann B. → Ann B.
            Name,Show as → Anne Bell,Ann B. → Ann B.
            Name,Publish as → Anne Bell,Ann B. → Ann B.
            Patient,Doctor → Anne Bell,Knox → Anne Bell
            Name,Nickname → Anne Bell,Yes → Anne Bell
            Ihr Name,Ort → Ann Bell,Ulm → Ann Bell
            Customer,Town → user123456789,Ulm → user123456789
            Customer,Town → 1001,Ulm → Anonymous
        ",
    ) {
        let content = format!("Date,{header},Stars,Comment\n2026-03-01,{cells},5,Very neat\n");
        let (bench, _, rejections) = import_into_new(content, "").await;
        assert_eq!(
            (authors(&bench).as_str(), rejections),
            (author, vec![]),
            "{header}"
        );
    }
}

#[tokio::test]
async fn a_name_of_somebody_else_or_of_a_thing_is_no_author() {
    let headers = "Team member name; Who helped you? (name); App Version Name; Customer #; Name of your technician";
    for header in headers.split("; ") {
        let content = format!("Date,{header},Stars,Comment\n2026-03-01,Mike,5,Very neat\n");
        let refusal = bench().await.refusal(content).await;
        assert_has(&refusal, "no column is recognised as the author");
        assert_has(&refusal, "--map author= if there are no names");
    }
}

#[tokio::test]
async fn the_text_is_in_the_column_with_the_words_of_customers() {
    for [header, cells] in table(
        "
            Comments,Customer comments → call back,Very neat
            Customer Feedback,Comments → Very neat,call back
            Review,Comments → Very neat,call back
            Comment,Review text → ,Very neat
            Bewertungstext,Kommentar → Very neat,Danke
            Kommentar,Rezension → Danke,Very neat
            Texte de l'avis,Commentaire → Very neat,Merci
            Comentarios,Opinión → Gracias,Very neat
            Commento,Testo recensione → Grazie,Very neat
            Komentarz,Recenzja → Tak,Very neat
            Depoimento,Comentário → Very neat,Sim
            Customer review,Reviews → Very neat,12
            Kundenmeinung,Ort → Very neat,Ulm
            Member comments,Member → Very neat,yes
        ",
    ) {
        let content = format!("Date,Name,Stars,{header}\n2026-03-01,Ann,5,{cells}\n");
        let text = found(content, "", "select text from review").await;
        assert_eq!(text, "Very neat", "{header}");
    }
    for header in [
        "Kommentar an die Geschäftsleitung",
        "Comment for the team",
        "Commentaire à la direction",
    ] {
        let content = format!("Date,Name,Stars,{header}\n2026-03-01,Ann,5,The code is 4711\n");
        let refusal = bench().await.refusal(content).await;
        assert_has(&refusal, "recognised as the text");
        assert!(!refusal.contains("text=\"Com"), "{header}: {refusal}");
    }
    let content = "Date,Name,Stars,Our comments,Customer said\n2026-03-01,Ann,5,call her back on Monday,they were very neat here\n";
    let refusal = bench().await.refusal(content).await;
    assert_has(&refusal, "--map text=\"Customer said\"");
}

#[tokio::test]
async fn dumps_and_surveys_are_read_by_the_names_of_their_columns() {
    for layout in [
        "ID,post_title,post_content,post_date,post_status,post_author,rating,client_name\n\
         11,Neat,Very neat,2026-03-01,publish,1,5,Ann Bell\n12,Late,Left a mess,2026-03-02,draft,1,1,Bo Cole\n",
        "testimonial_id,testimonial_author,testimonial_content,testimonial_rating,testimonial_date,testimonial_status\n\
         11,Ann Bell,Very neat,5,2026-03-01,publish\n12,Bo Cole,Left a mess,1,2026-03-02,pending\n",
        "Submitted date,Survey name,Contact name,Response value,Sentiment,Follow-up response,Approved\n\
         2026-03-01,Visit,Ann Bell,5,Happy,Very neat,Yes\n2026-03-02,Visit,Bo Cole,1,Unhappy,Left a mess,No\n",
        "Datum,Name,Note (1-5 Sterne),Kommentar,Can we reply to your review?,Auf Homepage\n\
         01.03.2026,Ann Bell,5,Very neat,Yes,x\n02.03.2026,Bo Cole,1,Left a mess,No,\n",
    ] {
        let (bench, ..) = import_into_new(layout, "").await;
        let select = "select author, rating, reviewed_on, text, status from review order by author";
        assert_eq!(
            bench.sql(select),
            "Ann Bell|5|2026-03-01|Very neat|published\nBo Cole|1|2026-03-02|Left a mess|withheld",
            "{layout}"
        );
    }
}

#[tokio::test]
async fn answers_are_found_under_the_names_of_tools_and_languages() {
    let headers = "Our reply; Business reply; Developer Reply Text; Response from the owner; Antwort des Inhabers; Réponse du propriétaire; \
        Odpowiedź właściciela; Google reply; Hotelantwort; Your reply; Vendor response; Review Reply Comment; Antwort vom Inhaber; \
        Trader response; Votre réponse; Kommentar des Unternehmens";
    for header in headers.split("; ") {
        let content =
            format!("Date,Name,Stars,Comment,{header}\n2026-03-01,Ann,5,Very neat,Thanks\n");
        let answer = found(content, "", "select response_text from review").await;
        assert_eq!(answer, "Thanks", "{header}");
    }
}

#[tokio::test]
async fn a_rating_is_found_by_the_header_that_says_most() {
    let headers = "Rating 1-5; Rating /5; Stars out of 5; How satisfied were you with our service?";
    for header in headers.split("; ") {
        let content = format!("Date,Name,{header},Comment\n2026-03-01,Ann,4,Very neat\n");
        let rating = found(content, "", "select rating from review").await;
        assert_eq!(rating, "4", "{header}");
    }
    let content =
        "No,Date,Name,Punctuality,Comment\n1,2026-03-01,Ann,4,Very neat\n2,2026-03-02,Bo,3,Late\n";
    let refusal = bench().await.refusal(content).await;
    assert_has(&refusal, "--map rating=\"Punctuality\"");
}

#[tokio::test]
async fn a_grade_of_the_place_is_no_location() {
    let content = "Date,Name,Review score,Location,Comment\n2026-03-01,Ann,5,7.5,Very neat\n2026-03-02,Bo,4,10,Late\n";
    let (bench, report, _) = import_into_new(content, "").await;
    assert_eq!((report.new, authors(&bench).as_str()), (2, "Ann|Bo"));
}

#[tokio::test]
async fn a_hint_for_the_date_names_no_day_of_something_else() {
    let content = "relative_date,retrieval_date,visit date,username,rating,text\n\
        2 weeks ago,2026-03-01,2026-02-01,Ann,5,Very neat work here\n";
    let refusal = bench().await.refusal(content).await;
    assert_has(&refusal, "--map date=COLUMN");
    let rows = json!([{"rating": 5, "author": "Ann", "text": "Neat", "time": {"published": "2026-03-01"},
        "response": {"text": "Thanks", "time": {"published": "2026-03-02"}}}]);
    let bench = bench().await;
    let refusal = bench.refused(rows.to_string(), "--format table").await;
    assert_has(&refusal, "--map date=\"time.published\"");
}

#[tokio::test]
async fn a_table_without_a_header_shows_nothing_of_its_rows() {
    for content in [
        "ann@e.com,Ann Bell,5,Neat\nbo@e.com,Bo,4,Late\n",
        "2026-03-01,Ann Bell,5,Neat\n",
    ] {
        let refusal = bench().await.refusal(content).await;
        assert_has(&refusal, "is a table without a header");
        assert!(!refusal.contains("Ann"), "{refusal}");
    }
}

#[tokio::test]
async fn a_table_with_reviews_in_cells_is_refused_with_the_way_out() {
    let content =
        "title,place_id,user_reviews\nK,P1,\"[{\"\"Name\"\":\"\"Ann\"\",\"\"Rating\"\":5}]\"\n";
    let refusal = bench().await.refusal(content).await;
    assert!(
        refusal.ends_with("user_reviews has lists of JSON; export the file as JSON instead"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_column_without_a_header_can_be_mapped() {
    let content = "Date,Name,,Stars\n2026-03-01,Ann,They were very neat,5\n";
    let refusal = bench().await.refusal(content).await;
    assert_has(&refusal, "--map text=\"column 3\"");
    let text = found(content, "--map 'text=column 3'", "select text from review").await;
    assert_eq!(text, "They were very neat");
}

#[tokio::test]
async fn locations_of_a_birdeye_report_are_kept_apart() {
    let content = "Business Name,Location,Review Date,Source,Rating,Reviewer Name,Review,Response,Response Date,Review URL\n\
        K,Phoenix,\"Oct 12, 2026\",Google,5,Ann Bell,Neat,,,https://x.example/1\n\
        K,Mesa,\"Oct 12, 2026\",Google,4,Bo Cole,Late,,,https://x.example/2\n";
    let refusal = bench().await.refusal(content).await;
    assert_has(&refusal, "2 locations: Mesa (1), Phoenix (1)");
    let (bench, report, _) = import_into_new(content, "--location Mesa").await;
    assert_eq!(
        (report.new, report.elsewhere, authors(&bench)),
        (1, 1, "Bo C.".to_owned())
    );
}

#[tokio::test]
async fn a_writer_who_is_no_buyer_is_manual_in_woocommerce_tables() {
    let content = "comment_ID,comment_author,comment_date,comment_content,comment_approved,comment_parent,user_id,rating,verified,title\n\
        1,Ann,2026-03-01 10:00:00,Neat,1,0,0,5,0,Fine\n2,Bo,2026-03-02 10:00:00,Good,1,0,0,5,1,\n";
    let select = "select author, verification_method, ifnull(title, '-'), status from review order by author";
    let rows = found(content, "", select).await;
    assert_eq!(
        rows,
        "Ann|manual|Fine|published\nBo|source_platform|-|published"
    );
}

#[tokio::test]
async fn both_forms_of_reviews_io_are_known() {
    let rows = json!({"reviews": [
        {"_id": "a1", "author_name": "Ann", "rating": 5, "comments": "Neat", "date_created": "2026-03-01 10:00:00", "is_hidden": false},
        {"_id": "a2", "author": {"name": "Bo"}, "rating": 4, "comments": "Late", "date_created": "2026-03-02 10:00:00", "is_hidden": true}]});
    let (bench, report, _) = import_into_new(rows.to_string(), "").await;
    assert_eq!(
        (report.files[0].format, authors(&bench).as_str()),
        ("reviews_io", "Ann|Bo")
    );
    let withheld = "select author from review where status = 'withheld'";
    assert_eq!(bench.sql(withheld), "Bo");
}

#[tokio::test]
async fn flat_tables_of_reviews_io_have_authors_and_answers() {
    let content = "store_review_id,date_created,reviewer_name,reviewer_email,rating,comments,reply,reply_date\n\
        17,2026-03-01 10:00:00,Ann Bell,a@e.com,5,Neat,Thanks,2026-03-02\n";
    let rows = found(content, "", "select author, response_text from review").await;
    assert_eq!(rows, "Ann Bell|Thanks");
}

#[tokio::test]
async fn an_export_of_yotpo_hides_private_answers_and_no_review() {
    let content = "appKey,Review ID,Review Creation Date,Review Type,Review Status,Review Source,Review Score,Review Title,\
        Review Content,Comment Date,Comment Content,Comment Public,Reviewer Display Name\n\
        k,1,2026-03-01,Product,Published,Mail,5,Fine,Neat,,,,Ann\n\
        k,2,2026-03-02,Product,Published,Mail,4,Fine,Late,2026-03-03,Sorry,No,Bo\n\
        k,3,2026-03-03,Product,Rejected,Mail,1,Bad,Rude,,,,Cy\n";
    let (bench, report, _) = import_into_new(content, "").await;
    let select = "select author, status, ifnull(response_text, '-') from review order by author";
    assert_eq!(
        (report.files[0].format, bench.sql(select).as_str()),
        ("yotpo", "Ann|published|-\nBo|published|-\nCy|withheld|-")
    );
}

#[tokio::test]
async fn a_header_that_is_english_too_is_no_sign_of_a_language() {
    for (header, day) in [
        ("Opinion,Client", "2026-03-04"),
        ("Comment,Kunde", "2026-04-03"),
    ] {
        let bench = bench().await;
        let country = Some("US".to_owned());
        bench
            .set_business(Business {
                country,
                ..Business::default()
            })
            .await;
        bench
            .take(format!("Date,Score,{header}\n03/04/2026,5,Very neat,Ann\n"))
            .await;
        let found = bench.sql("select reviewed_on from review");
        assert_eq!(found, day, "{header}");
    }
}

#[tokio::test]
async fn numbers_of_questions_and_marks_are_no_part_of_a_header() {
    for header in [
        "1. Date,2. Name,3. Rating,4. Review",
        "Date *,Q1. Name,Q2: Stars (1-5) *,Q3) Comments [required]",
        "Datum,1. Ihr Name,2. Sterne,3. Kommentar (Pflichtfeld)",
        "Horodateur,Nom,Note,Votre avis",
    ] {
        let content = format!("{header}\n2026-03-01,Ann Bell,4,Very neat\n");
        let (bench, ..) = import_into_new(content, "").await;
        let select = "select author, rating, text from review";
        assert_eq!(bench.sql(select), "Ann Bell|4|Very neat", "{header}");
    }
}

#[tokio::test]
async fn a_name_that_all_rows_share_gives_way_to_those_of_customers() {
    for [header, name] in table(
        "
            Name,Customer → Kestrel Air LLC
            Name,Reviewer Display Name → accounts/1/locations/2/reviews/5f00
            Customer,Name for website → Anne Bellow
            Name,Name (public) → Anne Bellow
        ",
    ) {
        let content = format!(
            "Date,{header},Stars,Comment\n2026-03-01,{name},Bo Cole,5,Fine work\n2026-03-01,{name},Ann Bell,5,Good work\n\
             2026-03-01,{name},Ann Bell,5,Neat work\n"
        );
        let authors = found(content, "", "select author from review order by author").await;
        assert_eq!(authors, "Ann Bell\nAnn Bell\nBo Cole", "{header}");
    }
}

#[tokio::test]
async fn a_hint_names_no_column_of_numbers_or_contacts() {
    for [header, cells, hint] in table(
        "
            Respondent ID,End Date,Name,Stars,Comment → 44213,03/14/2026 06:12:05 PM,Ann,5,Fine work → --map date=
            Date,Name,numberOfReviews,Comment → 2026-03-14,Ann,1,Fine work → --map rating=COLUMN
            Date,Name,Stars,Contact → 2026-03-14,Ann,5,Jane Doe → --map text=COLUMN
        ",
    ) {
        let refusal = bench().await.refusal(format!("{header}\n{cells}\n")).await;
        let is_right = refusal.contains(hint) && !refusal.contains("date=\"Respondent ID\"");
        assert!(is_right, "{refusal}");
    }
}

#[tokio::test]
async fn two_columns_with_one_header_are_refused() {
    let content = "Stars,Count,Date,Name,Stars,Comment\n5,1,2026-03-14,Ann,5,Fine\n4,1,2026-03-15,Bo,2,Late\n";
    let refusal = bench().await.refusal(content).await;
    let doubt = "the rating may be Stars or Stars (2); name it with --map rating=COLUMN";
    assert_has(&refusal, doubt);
    let select = "select rating from review order by author";
    let stars = found(content, "--map 'rating=Stars (2)'", select).await;
    assert_eq!(stars, "5\n2");
}

#[tokio::test]
async fn a_question_with_the_french_comment_is_no_text() {
    let content = "Horodateur,Nom,Note,Comment avez-vous connu notre entreprise ?,Votre avis\n2026-03-14,Ann,5,Facebook,Travail soigné\n";
    let text = found(content, "", "select text from review").await;
    assert_eq!(text, "Travail soigné");
}

#[tokio::test]
async fn a_line_of_totals_proves_no_scale() {
    let content =
        "Date,Name,Stars,Comment\n2026-03-14,Ann,5,Fine\n2026-03-15,Bo,4,Good\n,Total,9,\n";
    let (bench, report, _) = import_into_new(content, "").await;
    assert_eq!((report.new, report.rejected), (2, 1));
    let select = "select group_concat(rating) from (select rating from review order by author)";
    assert_eq!(bench.sql(select), "5,4");
}
