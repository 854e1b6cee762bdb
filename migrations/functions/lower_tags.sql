-- Tags as they are compared: without regard to case. An index is made of it: a change needs a migration that makes the index
-- again.
create or replace function lower_tags(tags text[]) returns text[] language sql immutable strict parallel safe
  return array(select lower(one) from unnest(tags) as one);
