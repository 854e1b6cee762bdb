CREATE OR REPLACE FUNCTION domain_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN ((statement_timestamp() + (SELECT installation.clock_offset FROM installation)))::timestamptz(3);

CREATE OR REPLACE FUNCTION increment_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('rapport.rekeying', true) = 'on' then return new; end if;
  new.revision := old.revision + 1;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION let_owner_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.company_id is null then
    return null;
  end if;
  if tg_table_name = 'channels' then
    insert into channel_companies values (new.id, new.company_id) on conflict do nothing;
  else
    insert into vendor_account_companies values (new.id, new.company_id) on conflict do nothing;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION login_skeleton(login text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select translate(
    lower(normalize(regexp_replace(login, '\s+', ' ', 'g'), NFKC)),
    'авеёкмнопрстухіїјѕԁһԛԝӏαβεζηικμνορτυχ|01i',
    'abeekmhonpctyxlljsdhqwlabezhlkmvoptyxloll')
$function$;

CREATE OR REPLACE FUNCTION notify_access_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('access_changed', tg_table_name);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION redact_audit(leads bigint[], dialogues bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform set_config('rapport.erasing', 'on', true);
  update audit set before = null, after = null where noun = 'lead' and row_id = any(leads);
  update audit set before = null, after = null
   where coalesce(after, before) ? 'lead_id' and coalesce(after, before) ->> 'lead_id' = any(leads::text[]);
  update audit set before = null, after = null
   where coalesce(after, before) ? 'dialogue_id' and coalesce(after, before) ->> 'dialogue_id' = any(dialogues::text[]);
  update audit set before = null, after = null
   where noun = 'contact' and row_id in (select id from contacts where lead_id = any(leads));
  update audit set before = null, after = null where noun = 'dialogue' and row_id = any(dialogues);
  update audit set before = null, after = null
   where noun = 'message' and row_id in (select m.id from messages m
                                           join contacts c on c.id = m.contact_id where c.lead_id = any(leads));
  perform set_config('rapport.erasing', 'off', true);
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach_products o set next_at = domain_now()
    from channels h join product_channels l on l.channel_id = h.id
   where h.account_id = new.id and o.product_id = l.product_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_channel()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach_products o set next_at = domain_now()
    from product_channels l where l.channel_id = new.id and o.product_id = l.product_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_contact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach set next_at = domain_now(), retry_at = null, attempts = 0
   where lead_id = case when tg_op = 'DELETE' then old.lead_id else new.lead_id end;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_dialogue()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach o set next_at = domain_now(), retry_at = null, attempts = 0
    from contacts c where c.id = new.contact_id and o.lead_id = c.lead_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_lead()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into outreach (lead_id, product_id) values (new.id, new.product_id);
  else
    update outreach set next_at = domain_now(), retry_at = null, attempts = 0 where lead_id = new.id;
    -- Messages that wait for working hours wait for those of the new time zone.
    if old.timezone is distinct from new.timezone then
      update messages m set scheduled_at = originally_scheduled_at, originally_scheduled_at = null
        from contacts c where c.lead_id = new.id and m.contact_id = c.id and m.status = 'scheduled' and m.originally_scheduled_at is not null;
    end if;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_llm_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach_products o set replan = true
    from products p
   where p.company_id = case when tg_op = 'DELETE' then old.company_id else new.company_id end and o.product_id = p.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_message()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach o set next_at = domain_now(), retry_at = null, attempts = 0
    from contacts c where c.id = new.contact_id and o.lead_id = c.lead_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_product()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into outreach_products (product_id, replan) values (new.id, tg_op = 'UPDATE')
  on conflict (product_id) do update set replan = true;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_setting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach_products set replan = true
   where product_id = case when tg_op = 'DELETE' then old.product_id else new.product_id end;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reject_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    -- Erasing a person: what the entry held is gone; that it was made, by whom and when, stays.
    if current_setting('rapport.erasing', true) = 'on' and new.before is null and new.after is null
       and to_jsonb(new) - '{before,after}'::text[] = to_jsonb(old) - '{before,after}'::text[]
    then return new; end if;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION request_full_sync()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update amocrm_accounts set full_sync_requested = full_sync_requested + 1, next_sync_at = clock_timestamp()
   where crm_integration_id = new.crm_integration_id and state = 'connected';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION set_eligible_since()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.is_active and new.stage = 'initial') and not (old.is_active and old.stage = 'initial') then
    new.eligible_since := domain_now();
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION set_login_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.login_key := coalesce(new.login_key, login_skeleton(new.login));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION set_pending_stage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into crm_cards as c (product_id, card_id, crm_integration_id, lead_id, pending_stage, pending_stage_version, pending_stage_since)
  select new.product_id, new.crm_id::bigint, p.crm_integration_id, new.id, new.stage, 1, domain_now()
    from product_integrations p join crm_integrations i on i.id = p.crm_integration_id
   where p.product_id = new.product_id and i.is_active
   order by p.id limit 1
  on conflict (product_id, card_id) do update
    set lead_id = excluded.lead_id, pending_stage = excluded.pending_stage, pending_stage_version = c.pending_stage_version + 1,
        pending_stage_since = excluded.pending_stage_since, attempts = 0, retry_at = null, error = null
    where coalesce(c.lead_id, excluded.lead_id) = excluded.lead_id;
  new.crm_pending := found;
  return new;
end $function$;
