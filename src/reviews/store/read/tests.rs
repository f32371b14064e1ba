//! Every way of reading reviews, on a real file.

use std::cmp::Reverse;

use crate::db::Database;
use crate::reviews::Review;

/// Its columns are what the statement made of its number.
fn assert_as_written(review: &Review) {
    let n: usize = review.id.as_str()[2..].parse().unwrap();
    assert_eq!(usize::from(review.rating.stars()), 1 + n % 5);
    assert_eq!(
        review.text,
        if n.is_multiple_of(7) {
            String::new()
        } else {
            format!("5:;{n}\0\u{1f}😀")
        }
    );
    assert_eq!(review.title, n.is_multiple_of(3).then(|| ";".to_owned()));
    assert_eq!(
        review
            .response
            .as_ref()
            .map(|response| response.text.as_str()),
        n.is_multiple_of(4).then_some("")
    );
    assert_eq!(review.mentions.technicians.len(), usize::from(n % 5 < 2));
    assert!(
        review
            .mentions
            .technicians
            .iter()
            .all(|name| *name == format!(";\u{1e}\u{1f}r-{n}"))
    );
    assert_eq!(
        review.mentions.services,
        if n.is_multiple_of(5) {
            vec!["1:".to_owned()]
        } else {
            Vec::new()
        }
    );
}

#[tokio::test]
async fn every_published_review_is_read_once_in_order_however_many_a_day_has() {
    let directory = tempfile::tempdir().unwrap();
    let (database, _) = Database::open(&directory.path().join("reviews.db"))
        .await
        .unwrap();
    let mut write = database.write().await.unwrap();
    // 700 on one day, two days of 256, and one on each of 300 days; every ninth is withheld.
    let rows = "with recursive n (n) as (select 0 union all select n + 1 from n where n < 1511)
        insert into review (review_id, rating, reviewed_on, text, title, status, response_text)
        select 'r-' || n, 1 + n % 5,
          date('2020-01-01', case when n < 700 then 0 when n < 956 then 1 when n < 1212 then -1 else 955 - n end || ' days'),
          iif(n % 7, '5:;' || n || char(0, 31, 128512), ''), iif(n % 3, null, ';'), iif(n % 9, 'published', 'withheld'),
          iif(n % 4, null, '') from n";
    sqlx::query(rows).execute(&mut *write).await.unwrap();
    let mentions = "insert into mention select review_id, 'technician', ';' || char(30, 31) || review_id from review
        where rating < 3 union all select review_id, 'service', '1:' from review where rating = 1";
    sqlx::query(mentions).execute(&mut *write).await.unwrap();
    write.commit().await.unwrap();

    let mut connection = database.readers().acquire().await.unwrap();
    let mut read = Vec::new();
    super::each_published(&mut connection, |review| read.push(review))
        .await
        .unwrap();
    assert_eq!(read.len(), (0..1512).filter(|n| n % 9 != 0).count());
    assert!(read.is_sorted_by_key(|review| (Reverse(review.date), review.id.clone())));
    for review in &read {
        assert_as_written(review);
        assert_eq!(
            super::find(&mut connection, &review.id)
                .await
                .unwrap()
                .as_ref(),
            Some(review)
        );
    }
    assert_eq!(
        super::changed_since(&mut connection, 0)
            .await
            .unwrap()
            .len(),
        1512
    );
}
