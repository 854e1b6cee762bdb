-- One id follows a message from the hook to its answer's delivery, in every line of the logs.
-- Without a default on the column as it is added, so that no row is rewritten: what is older has none.
alter table inbox add column trace uuid;
alter table inbox alter column trace set default gen_random_uuid();
alter table messages add column trace uuid;
alter table messages alter column trace set default gen_random_uuid();
