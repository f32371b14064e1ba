-- How each text as a whole speaks, a row for each review.
create view derived_review as
select r.review_id, r.language, r.overall as polarity, r.overall_score as score, n.text_hash, n.method_hash
from derived_analysis as r left join derived_index as n using (review_id);
