-- The CRM step that a lead was imported from, and the prepared message that a follow-up was sent from.

-- Where the card was when the lead was imported from it. A later move of the card changes nothing here.
alter table leads add column imported_pipeline_id bigint;
alter table leads add column imported_step_id bigint;
alter table leads add constraint leads_imported_step check ((imported_pipeline_id is null) = (imported_step_id is null));

-- A card is stored with its last position alone. It is the first one where nothing has moved since: each move leaves an event.
update leads l set imported_pipeline_id = c.pipeline_id, imported_step_id = c.status_id
  from crm_cards c
 where c.lead_id = l.id and c.product_id = l.product_id and c.card_id::text = l.crm_id
   and c.pipeline_id is not null and c.status_id is not null
   and exists (select from audit a where a.action = 'imported' and a.noun = 'lead' and a.row_id = l.id and a.after->>'crm_id' = l.crm_id and a.after->>'by' = 'amoCRM')
   and not exists (select from lead_events e where e.lead_id = l.id and e.event_type in ('stage_changed', 'crm_status_changed'));

alter table outcomes add column crm_pipeline_id bigint;
alter table outcomes add column crm_step_id bigint;

alter table outcome_steps add column prepared_message_id bigint;
update outcome_steps s set prepared_message_id = m.prepared_message_id
  from messages m where m.id = s.message_id and m.prepared_message_id is not null;
create index outcome_steps_prepared on outcome_steps (prepared_message_id, lead_id, attempt) where prepared_message_id is not null;
comment on index outcome_steps_prepared is 'outcomes: attempts with a prepared message as follow-up';

-- Leads that stage detection has deactivated have opted out. The server counts them again, and those whose step is known now.
update outcomes set is_stale = true
 where lead_id in (select lead_id from lead_events where event_type = 'deactivated' and event_data->>'by' = 'classification'
                   union all select id from leads where imported_step_id is not null);

-- Their results have more columns now. Both are made again from their files.
drop function if exists outcome_facts(bigint[]);
drop function if exists follow_up_facts(bigint[]);

-- Functions name it that are made before it.
create function is_opt_out(event_data jsonb) returns boolean language sql immutable parallel safe
  return coalesce(event_data->>'by' in ('lead', 'classification'), false);
