-- How the business's technicians are shown (CONTRACT §2): by their full names, by their first names, or not at all.
alter table business add column publish_staff text not null default 'full'
    constraint business_publish_staff_known check (publish_staff in ('full', 'first_name', 'off'));

-- A number for each technician, of which the public id is made where full names are not shown: the firm's own id mostly is
-- the name. Kept apart, and when the technician goes, so that nobody ever gets another one's number: the list is
-- replaced whole, and a shell may use `insert or replace`.
create table technician_number (
    number        integer primary key,
    technician_id text not null unique
) strict;
insert into technician_number (technician_id) select technician_id from technician order by position, technician_id;

create trigger technician_numbered after insert on technician begin
    insert into technician_number (technician_id)
        select new.technician_id where not exists (select 1 from technician_number where technician_id = new.technician_id);
end;

create trigger technician_renumbered after update of technician_id on technician when old.technician_id <> new.technician_id begin
    insert into technician_number (technician_id)
        select new.technician_id where not exists (select 1 from technician_number where technician_id = new.technician_id);
end;

-- Everybody whom reviews were recorded to mention, without reading every mention.
create index mention_technician on mention (value) where kind = 'technician';
