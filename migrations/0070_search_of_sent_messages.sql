-- A message changes its status some five times on its way, and each change writes its words to the index again. Those
-- that have not left are not searched.
drop index messages_search;
create index messages_search on messages using gin (to_tsvector('simple', message))
  where removed_at is null and status not in ('scheduled', 'sending');
comment on index messages_search is 'conversations: search dialogues by the words of their messages, but for those that are scheduled or being sent. Among 100,000 messages: 40 to 230 ms instead of 1.5 to 2 s; changing a status costs 0.26 ms instead of 0.15 ms';
