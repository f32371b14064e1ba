//! Stars in words, signs and other digits.

use super::*;

const TABLES: &str = r"
# stars with their scale are the number that is not the scale
cells: Stars
3 ← 3,0 von 5 Sternen | 3,0 de 5 estrellas | 5つ星のうち3.0 | 3.0 من 5 نجوم | ★★★☆☆ | 3 stars | ३ | ３／５
5 ← 5,0 von 5 Sternen | 5つ星のうち5.0 | ٥
2 ← Rated 2 out of 5 | 2,0 su 5 stelle | 2,0 z 5 gwiazdek | 별 5개 중 2.0개 | Rating: 2/5 | ２
4 ← 4.0 out of 5 stars | Noté 4 sur 5 | 4,0 van 5 sterren | 5 yıldız üzerinden 4,0 | 4.0 颗星，最多 5 颗星 | 4 / 5 | ⭐️⭐️⭐️⭐️ | FOUR | 4.0
1 ← 1,0 sur 5 étoiles | 1,0 av 5 stjärnor | 1 star
4 ← 4,0 | ۴ | ٤ من ٥
# stars that are not understood reject their row and are never five
cells: Stars
4 ← 4 von 5 Sternen
x ← 0 out of 5 | 6 out of 5 stars | 3 von 5 (12 Bewertungen) | excellent, 5 of my friends | out of 5 | 5つ星のうち | -1
x ← 2 of 3 people found it useful | 5 stars of 10 reviews | 4 of 5 people | 5 guests of 5 | 4/5 rooms
# stars of ten in words are halved with a scale
--scale 10
cells: Stars
4 ← 8,0 von 10
5 ← 10 / 10
2 ← 10つ星のうち4
3 ← ٦
x ← 11 von 10
";

#[tokio::test]
async fn stars_say_the_same_in_every_format() {
    in_every_format(TABLES).await;
}
