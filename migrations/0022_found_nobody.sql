-- A vendor took a message and found later that nobody has that address in its messenger. What follows from it is settled
-- in a transaction of its own; until then it stands here.
alter table messages add column found_nobody boolean not null default false;
create index messages_found_nobody on messages (id) where found_nobody;
