-- The version of a saved view, which ETag and If-Match carry.
alter table saved_views add column revision integer not null default 1;
