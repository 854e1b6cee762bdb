-- What the dashboard counts, by time and side, without reading the texts. Of 1,000,000 messages, 940,000 of them one
-- product's, its figures took 0.9 s before and 0.1 s with this.
create index messages_said on messages (product_id, thread_at) include (side)
  where removed_at is null and status not in ('scheduled', 'cancelled');
