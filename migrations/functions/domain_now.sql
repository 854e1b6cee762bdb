-- Domain time. statement_timestamp() and not now(): a transaction that waited for a lock must not act on an old
-- instant.
create or replace function domain_now() returns timestamptz language sql stable
  return (statement_timestamp() + (select clock_offset from installation))::timestamptz(3);
