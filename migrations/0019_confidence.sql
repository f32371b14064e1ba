-- In how many of a hundred such cases aspect and label were right stands beside who made the finding.
drop view derived_finding;

create view derived_finding as
select r.review_id, cast(f.key as integer) as finding_no, f.value ->> 0 as aspect, f.value ->> 1 as polarity,
    f.value ->> 7 as witness, f.value ->> 8 as confidence, f.value ->> 2 as score, f.value ->> 3 as sentence, f.value ->> 4 as start_at, f.value ->> 5 as end_at,
    (select substr(text, 1 + (f.value ->> 4), (f.value ->> 5) - (f.value ->> 4)) from review as w where w.review_id = r.review_id)
        as words,
    f.value -> 6 as hits, n.text_hash, n.method_hash
from derived_analysis as r left join derived_index as n using (review_id), json_each(r.findings) as f;

create trigger derived_finding_deleted instead of delete on derived_finding begin
    delete from derived_analysis where review_id = old.review_id;
end;
