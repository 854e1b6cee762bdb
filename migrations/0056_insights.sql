-- What Insights reads of attempts besides the ledger: why leads refused, and when a person answered.
create index lead_events_refused on lead_events (lead_id, attempt, id)
  where event_type = 'stage_changed' and event_data->>'to' = 'refused';
comment on index lead_events_refused is 'outcomes: the reason of a refusal';

create index messages_people on messages (contact_id, attempt) where author in ('operator', 'phone');
comment on index messages_people is 'outcomes: the first message of a person after a hand-over';
