-- Names tables, columns, indexes, functions and triggers by the standard terms. No row changes its meaning.
-- Columns that end in _sealed keep their name: it is part of what their values are encrypted with.

alter table first_slots rename to first_message_quota;
alter table forgotten_addresses rename to suppressed_addresses;
alter table paces rename to rate_limits;

alter table amocrm_accounts rename pair to token_version;
alter table amocrm_accounts rename refresh_by to refresh_claimed_by;
alter table amocrm_accounts rename refresh_until to refresh_claimed_until;
alter table amocrm_accounts rename held_by to claimed_by;
alter table amocrm_accounts rename held_at to claimed_at;
alter table amocrm_accounts rename look_at to next_sync_at;
alter table amocrm_accounts rename whole_wanted to full_sync_requested;
alter table amocrm_accounts rename whole_done to full_sync_done;
alter table amocrm_accounts rename tries to attempts;
alter table amocrm_accounts rename disconnect_asked_at to disconnect_requested_at;
alter table amocrm_states rename landed_at to completed_at;
alter table channels rename firsts_stopped_at to first_messages_stopped_at;
alter table channels rename firsts_stopped_reason to first_messages_stopped_reason;
alter table channels rename firsts_resumed_at to first_messages_resumed_at;
alter table classifications rename tries to attempts;
alter table crm_cards rename wish to pending_stage;
alter table crm_cards rename wish_no to pending_stage_version;
alter table crm_cards rename wish_at to pending_stage_since;
alter table crm_cards rename held_by to claimed_by;
alter table crm_cards rename held_at to claimed_at;
alter table crm_cards rename tries to attempts;
alter table crm_changes rename told to hook_count;
alter table crm_changes rename told_at to reported_at;
alter table crm_changes rename held_by to claimed_by;
alter table crm_changes rename held_at to claimed_at;
alter table crm_changes rename tries to attempts;
alter table dialogues rename turn_claimed_by to claimed_by;
alter table dialogues rename turn_claimed_at to claimed_at;
alter table dialogues rename turn_tries to turn_attempts;
alter table inbox rename hold_until to parked_until;
alter table inbox rename tries to attempts;
alter table leads rename human_since to human_owned_since;
alter table leads rename human_reason to human_owner_reason;
alter table messages rename found_nobody to recipient_not_found;
alter table messages rename wanted_at to originally_scheduled_at;
alter table messages rename earlier_ext_ids to previous_ext_ids;
alter table messages rename ping_anchor to follow_up_anchor_id;
alter table messages rename batch to part_group;
alter table messages rename tries to attempts;
alter table nodes rename life to instance_id;
alter table nodes rename beat_at to heartbeat_at;
alter table nodes rename locked_by to worker_id;
alter table outreach rename will to next_action;
alter table outreach rename will_at to next_action_at;
alter table outreach rename why to reason;
alter table outreach rename handed_to to claimed_by;
alter table outreach rename line_type to queue_type;
alter table outreach rename line_at to queued_at;
alter table outreach rename tries to attempts;
alter table outreach_products rename held_by to claimed_by;
alter table outreach_products rename last_first_at to last_first_message_at;
alter table outreach_products rename last_first_lead to last_first_message_lead_id;
alter table outreach_products rename last_first_message to last_first_message_id;
alter table sessions rename proved_at to reauthenticated_at;
alter table suppressed_addresses rename forgotten_at to suppressed_at;
alter table vendor_accounts rename dead_reason to key_rejected_reason;
alter table vendor_accounts rename read_at to sessions_polled_at;

-- Statuses whose message is not known yet.
alter table inbox drop constraint inbox_state_check;
update inbox set state = 'parked' where state = 'held';
alter table inbox add constraint inbox_state_check check (state in ('new', 'parked', 'failed', 'done'));
drop index inbox_held;
create index inbox_parked on inbox (account_id, ext_id) where state = 'parked';

alter index audit_words rename to audit_search;
alter index crm_cards_wish rename to crm_cards_pending;
alter index first_slots_pkey rename to first_message_quota_pkey;
alter index first_slots_channel rename to first_message_quota_channel;
alter index first_slots_message rename to first_message_quota_message;
alter index first_slots_taken rename to first_message_quota_taken;
alter index forgotten_addresses_pkey rename to suppressed_addresses_pkey;
alter index messages_earlier_ext rename to messages_previous_ext;
alter index messages_found_nobody rename to messages_recipient_not_found;
alter index messages_held rename to messages_deferred;
alter index messages_said rename to messages_exchanged;
alter index messages_trouble rename to messages_failures;
alter index messages_trouble_channel rename to messages_failures_channel;
alter index messages_waiting rename to messages_queue;
alter index messages_words rename to messages_search;
alter index nodes_living rename to nodes_alive;
alter index outreach_handed rename to outreach_claimed;
alter index outreach_line rename to outreach_queue;
alter index paces_pkey rename to rate_limits_pkey;
alter table first_message_quota rename constraint first_slots_channel_id_fkey to first_message_quota_channel_id_fkey;
alter table first_message_quota rename constraint first_slots_product_id_fkey to first_message_quota_product_id_fkey;
alter table first_message_quota rename constraint first_slots_channel_type_check to first_message_quota_channel_type_check;
alter table first_message_quota rename constraint first_slots_number_check to first_message_quota_number_check;
alter table suppressed_addresses rename constraint forgotten_addresses_product_id_fkey to suppressed_addresses_product_id_fkey;
alter table crm_cards rename constraint crm_cards_wish_check to crm_cards_pending_stage_check;
alter table messages rename constraint messages_check to messages_inbound_is_of_user;
alter table messages rename constraint messages_check1 to messages_sending_is_claimed;
alter table messages rename constraint messages_check2 to messages_scheduled_has_time;
alter table outreach rename constraint outreach_line_type_check to outreach_queue_type_check;
alter table outreach rename constraint outreach_will_check to outreach_next_action_check;
-- Since PostgreSQL 18 NOT NULL is a constraint with a name.
do $$
declare one record;
begin
  for one in
    select k.conrelid::regclass as owner, k.conname, c.relname || '_' || a.attname || '_not_null' as standard
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
     where n.nspname = 'public' and k.contype = 'n' and k.conname <> left(c.relname || '_' || a.attname || '_not_null', 63)
  loop execute format('alter table %s rename constraint %I to %I', one.owner, one.conname, one.standard); end loop;
end $$;

-- Triggers that set a lead or product to be evaluated again when a fact of its plan changes.
alter function outreach_of_account() rename to reevaluate_after_account;
alter function outreach_of_channel() rename to reevaluate_after_channel;
alter function outreach_of_contact() rename to reevaluate_after_contact;
alter function outreach_of_credential() rename to reevaluate_after_llm_key;
alter function outreach_of_dialogue() rename to reevaluate_after_dialogue;
alter function outreach_of_lead() rename to reevaluate_after_lead;
alter function outreach_of_message() rename to reevaluate_after_message;
alter function outreach_of_product() rename to reevaluate_after_product;
alter function outreach_of_setting() rename to reevaluate_after_setting;
alter trigger outreach_of_account on vendor_accounts rename to reevaluate;
alter trigger outreach_of_channel on channels rename to reevaluate;
alter trigger outreach_of_contact on contacts rename to reevaluate;
alter trigger outreach_of_credential on company_llms rename to reevaluate;
alter trigger outreach_of_dialogue on dialogues rename to reevaluate;
alter trigger outreach_of_new_dialogue on dialogues rename to reevaluate_new;
alter trigger outreach_of_lead on leads rename to reevaluate;
alter trigger outreach_of_new_lead on leads rename to reevaluate_new;
alter trigger outreach_of_message on messages rename to reevaluate;
alter trigger outreach_of_product on products rename to reevaluate;
alter trigger outreach_of_product_zone on products rename to reevaluate_zone;
alter trigger outreach_of_new_product on products rename to reevaluate_new;
alter trigger outreach_of_setting on ping_configs rename to reevaluate;
alter trigger outreach_of_setting on prepared_messages rename to reevaluate;
alter trigger outreach_of_setting on product_channels rename to reevaluate;
alter trigger outreach_of_setting on prompts rename to reevaluate;
alter trigger outreach_of_setting on schedules rename to reevaluate;
alter function crm_of_lead() rename to set_pending_stage;
alter function crm_of_setting() rename to request_full_sync;
alter trigger crm_of_lead on leads rename to set_pending_stage;
alter trigger crm_of_setting on product_integrations rename to request_full_sync;
alter function forget() rename to notify_access_changed;
alter trigger forget on companies rename to notify_access_changed;
alter trigger forget on operator_authenticators rename to notify_access_changed;
alter trigger forget on operator_companies rename to notify_access_changed;
alter trigger forget on operator_passkeys rename to notify_access_changed;
alter trigger forget on operators rename to notify_access_changed;
alter trigger forget on products rename to notify_access_changed;
alter trigger forget on sessions rename to notify_access_changed;
alter trigger forget_policy on installation rename to notify_access_changed;
alter trigger forget_session on sessions rename to notify_access_changed_by_proof;
alter function forget_in_audit(bigint[], bigint[]) rename to redact_audit;
alter function keep_audit() rename to reject_audit_change;
alter function lead_eligible() rename to set_eligible_since;
alter trigger lead_eligible on leads rename to set_eligible_since;
alter function owner_may_use() rename to let_owner_use;
alter trigger owner_may_use on channels rename to let_owner_use;
alter trigger owner_may_use on vendor_accounts rename to let_owner_use;
alter function raise_revision() rename to increment_revision;

create or replace function notify_access_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('access_changed', tg_table_name);
  return null;
end $$;

create or replace function set_pending_stage() returns trigger language plpgsql as $$
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
end $$;

create or replace function request_full_sync() returns trigger language plpgsql as $$
begin
  update amocrm_accounts set full_sync_requested = full_sync_requested + 1, next_sync_at = clock_timestamp()
   where crm_integration_id = new.crm_integration_id and state = 'connected';
  return null;
end $$;

create or replace function reevaluate_after_contact() returns trigger language plpgsql as $$
begin
  update outreach set next_at = domain_now(), retry_at = null, attempts = 0
   where lead_id = case when tg_op = 'DELETE' then old.lead_id else new.lead_id end;
  return null;
end $$;

create or replace function reevaluate_after_dialogue() returns trigger language plpgsql as $$
begin
  update outreach o set next_at = domain_now(), retry_at = null, attempts = 0
    from contacts c where c.id = new.contact_id and o.lead_id = c.lead_id;
  return null;
end $$;

create or replace function reevaluate_after_lead() returns trigger language plpgsql as $$
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
end $$;

create or replace function reevaluate_after_message() returns trigger language plpgsql as $$
begin
  update outreach o set next_at = domain_now(), retry_at = null, attempts = 0
    from contacts c where c.id = new.contact_id and o.lead_id = c.lead_id;
  return null;
end $$;

-- Queued jobs keep running under the new names of their tasks. A fresh installation has no jobs.
do $$
begin
  if to_regclass('graphile_worker._private_tasks') is not null then
    update graphile_worker._private_tasks t set identifier = v.name
      from (values ('inherit', 'reclaim'), ('ask.fates', 'delivery.poll'), ('ask.sessions', 'sessions.poll'),
                   ('found.nobody', 'recipient.not_found'), ('crm.look', 'crm.sync')) as v (former, name)
     where t.identifier = v.former;
  end if;
end $$;
