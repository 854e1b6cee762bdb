create table products (
  id bigint not null generated always as identity,
  company_id bigint not null,
  name text not null,
  crm_id text,
  is_active boolean not null default true,
  config jsonb not null default '{"gate": "off", "models_config": null, "messaging_config": null, "judge_model_config": null, "lead_expires_in_hours": 0}'::jsonb,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  timezone text not null default 'UTC'::text,
  long_day_from timestamptz(3),
  long_day_until timestamptz(3),
  reply_hours text not null default 'working'::text,
  target_minutes integer not null default 15,
  return_to_bot_hours integer,
  hand_over boolean not null default true,
  hand_over_text text not null default ''::text,
  round_robin boolean not null default false,
  outreach_paused_at timestamptz(3),
  outreach_paused_by text,
  tag_rules jsonb not null default '[]'::jsonb,
  bot_reads_notes boolean not null default false,
  previous_limits jsonb,
  previous_limits_until timestamp with time zone,
  constraint products_pkey PRIMARY KEY (id),
  constraint products_id_company_id_key UNIQUE (id, company_id),
  constraint products_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint products_long_day CHECK ((long_day_from IS NULL) = (long_day_until IS NULL)),
  constraint products_name_check CHECK (btrim(name) <> ''::text),
  constraint products_outreach_paused CHECK ((outreach_paused_at IS NULL) = (outreach_paused_by IS NULL)),
  constraint products_previous_limits CHECK ((previous_limits IS NULL) = (previous_limits_until IS NULL)),
  constraint products_reply_hours_check CHECK (reply_hours = ANY (ARRAY['working'::text, 'any'::text])),
  constraint products_return_to_bot_hours_check CHECK (return_to_bot_hours >= 1 AND return_to_bot_hours <= 8760),
  constraint products_target_minutes_check CHECK (target_minutes >= 1 AND target_minutes <= 10080)
);

-- products: list a company's products; the scope condition of every list
CREATE INDEX products_company ON products USING btree (company_id);

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed AFTER DELETE OR UPDATE ON products FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();

-- migrations/functions/reevaluate_after_product.sql
CREATE TRIGGER reevaluate AFTER UPDATE ON products FOR EACH ROW WHEN (old.config IS DISTINCT FROM new.config OR old.is_active IS DISTINCT FROM new.is_active OR old.reply_hours IS DISTINCT FROM new.reply_hours OR old.outreach_paused_at IS DISTINCT FROM new.outreach_paused_at) EXECUTE FUNCTION reevaluate_after_product();

-- migrations/functions/reevaluate_after_product.sql
CREATE TRIGGER reevaluate_new AFTER INSERT ON products FOR EACH ROW EXECUTE FUNCTION reevaluate_after_product();

-- migrations/functions/reevaluate_after_product.sql
CREATE TRIGGER reevaluate_zone AFTER UPDATE ON products FOR EACH ROW WHEN (old.timezone IS DISTINCT FROM new.timezone) EXECUTE FUNCTION reevaluate_after_product();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON products FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
