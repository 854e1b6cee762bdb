-- The version of a saved view, which ETag and If-Match carry.
alter table saved_views add column revision integer not null default 1;

-- Whether models that write to a lead get the notes about it.
alter table products add column bot_reads_notes boolean not null default false;
