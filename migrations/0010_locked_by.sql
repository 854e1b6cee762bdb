-- The job runner locks jobs in one name for all its workers.
alter table nodes drop column worker_ids;
alter table nodes add column locked_by text;
