-- The reason of a refusal, as groups compare it.
alter table outcomes add column refusal_reason text;

-- Functions name it that are made before it.
create or replace function refusal_reason(event_data jsonb) returns text language sql immutable parallel safe
  return nullif(left(lower(btrim(event_data->>'reason', E' .\n\r\t')), 200), '');

update outcomes o set refusal_reason = refusal_reason(e.event_data)
  from lead_events e
 where o.outcome = 'refused' and e.lead_id = o.lead_id and e.attempt = o.attempt
   and e.id = (select max(z.id) from lead_events z where z.lead_id = o.lead_id and z.attempt = o.attempt
                 and z.event_type = 'stage_changed' and z.event_data->>'to' = 'refused');

-- Its result has one more column now. It is made again from its file.
drop function if exists outcome_facts(bigint[]);

-- The attempts that Insights reads facts of: a tenth of all, with what its filters read of them.
create index outcomes_refused on outcomes (product_id, started_at)
  include (reached, origin_id, course_id, refusal_reason, id) where started_at is not null and reached & 576 <> 0;
comment on index outcomes_refused is 'outcomes: the attempts that ended with a refusal or an opt-out';
create index outcomes_handed_over on outcomes (product_id, started_at)
  include (reached, origin_id, course_id, lead_id, attempt, handed_over_at) where started_at is not null and reached & 1024 <> 0;
comment on index outcomes_handed_over is 'outcomes: the attempts that were handed over to people';
