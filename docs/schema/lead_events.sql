create table lead_events (
  id bigint not null generated always as identity,
  lead_id bigint not null,
  product_id bigint not null,
  event_type text not null,
  event_data jsonb not null default '{}'::jsonb,
  created_at timestamptz(3) not null default domain_now(),
  attempt smallint not null default 1,
  constraint lead_events_pkey PRIMARY KEY (id),
  constraint lead_events_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint lead_events_event_type_check CHECK (event_type = ANY (ARRAY['activated'::text, 'deactivated'::text, 'stage_changed'::text, 'crm_status_changed'::text, 'handed_over'::text, 'returned_to_bot'::text, 'opt_out_lifted'::text]))
);

-- leads: events of a lead, newest first
CREATE INDEX lead_events_lead ON lead_events USING btree (lead_id, id);

-- leads: list a product's events
CREATE INDEX lead_events_product ON lead_events USING btree (product_id, id);

-- outcomes: the reason of a refusal
CREATE INDEX lead_events_refused ON lead_events USING btree (lead_id, attempt, id) WHERE event_type = 'stage_changed'::text AND (event_data ->> 'to'::text) = 'refused'::text;

-- migrations/functions/count_event.sql
CREATE TRIGGER count_event AFTER INSERT ON lead_events FOR EACH ROW WHEN (new.event_type = ANY (ARRAY['stage_changed'::text, 'handed_over'::text, 'deactivated'::text])) EXECUTE FUNCTION count_event();

-- migrations/functions/stamp_event.sql
CREATE TRIGGER stamp_event BEFORE INSERT ON lead_events FOR EACH ROW EXECUTE FUNCTION stamp_event();
