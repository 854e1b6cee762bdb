-- Outreach: when each lead is to be thought about next, why nothing leaves now, and what must happen at most once.

-- Since when a lead is active and in stage initial: its first message falls due after that.
alter table leads add column eligible_since timestamptz(3) not null default domain_now();
update leads set eligible_since = created_at;
create function lead_eligible() returns trigger language plpgsql as $$
begin
  if (new.is_active and new.stage = 'initial') and not (old.is_active and old.stage = 'initial') then
    new.eligible_since := domain_now();
  end if;
  return new;
end $$;
create trigger lead_eligible before update of is_active, stage on leads for each row execute function lead_eligible();

alter table product_channels add column created_at timestamptz(3) not null default domain_now();

update products set config = jsonb_set(config, '{messaging_config,add_interval_jitter_seconds}', '0')
 where jsonb_typeof(config->'messaging_config') = 'object';

-- A number stops first messages by itself, and says why.
alter table channels
  add column firsts_stopped_at timestamptz(3),
  add column firsts_stopped_reason text,
  -- An operator has said that it works: what was not acknowledged before does not count.
  add column firsts_resumed_at timestamptz(3);
-- What a channel's vendor has not acknowledged yet, and what tells that it is alive.
create index messages_unacknowledged on messages (channel_id, thread_at) where status = 'sent' and side = 'bot';
create index messages_acknowledged on messages (channel_id, thread_at) where status in ('delivered', 'read', 'inbound');

-- What a message came from, where it was neither typed nor an answer.
alter table messages
  add column origin text check (origin in ('first', 'ping')),
  -- The lead's message that a follow-up hangs on; 0: the lead never wrote. On the first part of a split text only.
  add column ping_anchor bigint,
  -- When it was to leave, where working hours have moved it: a change of hours begins from here.
  add column wanted_at timestamptz(3);
create index messages_held on messages (product_id) where status = 'scheduled' and wanted_at is not null;
-- A step happens once for an anchor. One that was cancelled never happened.
create unique index messages_ping_once on messages (dialogue_id, ping_anchor, ping_step_number)
  where ping_anchor is not null and status <> 'cancelled';

-- One person gets one first message per product, ever.
create table first_messages (
  product_id bigint not null references products on delete cascade,
  address text not null,
  lead_id bigint not null,
  contact_id bigint not null,
  message_id bigint not null,
  -- Refused for good: this contact is not tried again, another one once.
  refused boolean not null default false,
  created_at timestamptz(3) not null default domain_now(),
  primary key (product_id, address),
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index first_messages_lead on first_messages (lead_id);
create index first_messages_message on first_messages (message_id);

-- The day's slots of first messages, each taken once: two takers of one number collide. They outlive their leads.
create table first_slots (
  product_id bigint not null references products on delete cascade,
  channel_type text not null check (channel_type in ('telegram', 'whatsapp')),
  day date not null,
  number int not null check (number >= 1),
  channel_id bigint not null references channels on delete cascade,
  message_id bigint not null,
  taken_at timestamptz(3) not null default domain_now(),
  primary key (product_id, channel_type, day, number)
);
create unique index first_slots_message on first_slots (message_id);
create index first_slots_channel on first_slots (channel_id, day);

-- One row for each lead: when the plan is to be asked again, and what it said last.
create table outreach (
  lead_id bigint primary key,
  product_id bigint not null,
  -- Null: only a change of facts or settings can bring anything about.
  next_at timestamptz(3) default domain_now(),
  -- Real clock: pause after a text could not be made.
  retry_at timestamptz(3),
  tries int not null default 0,
  -- Due and within its hours, waiting for room: who fell due first goes first.
  line_type text check (line_type in ('telegram', 'whatsapp')),
  line_at timestamptz(3),
  -- The life that makes its follow-up's text: nobody else asks a model for it meanwhile.
  handed_to uuid,
  will text check (will in ('first', 'ping', 'expire')),
  will_at timestamptz(3),
  why jsonb,
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade
);
create index outreach_due on outreach (next_at) where next_at is not null;
create index outreach_line on outreach (product_id, line_type, line_at, lead_id) where line_at is not null;
create index outreach_handed on outreach (handed_to) where handed_to is not null;
create index outreach_product on outreach (product_id, lead_id);

create table outreach_products (
  product_id bigint primary key references products on delete cascade,
  -- When somebody in line may go.
  next_at timestamptz(3),
  -- Settings changed: every lead of the product is thought about again.
  replan boolean not null default false,
  last_first_at timestamptz(3),
  last_first_lead bigint,
  last_first_message bigint,
  -- The life that works on the line.
  held_by uuid
);
create index outreach_products_due on outreach_products (next_at) where next_at is not null;
create index outreach_products_replan on outreach_products (product_id) where replan;

insert into outreach (lead_id, product_id) select id, product_id from leads;
insert into outreach_products (product_id) select id from products;

-- Whatever changes a fact that the plan reads has it read again.
create function outreach_of_lead() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into outreach (lead_id, product_id) values (new.id, new.product_id);
  else
    update outreach set next_at = domain_now(), retry_at = null, tries = 0 where lead_id = new.id;
    -- What waits for working hours waits for those of the new zone.
    if old.timezone is distinct from new.timezone then
      update messages m set scheduled_at = wanted_at, wanted_at = null
        from contacts c where c.lead_id = new.id and m.contact_id = c.id and m.status = 'scheduled' and m.wanted_at is not null;
    end if;
  end if;
  return null;
end $$;
create trigger outreach_of_new_lead after insert on leads for each row execute function outreach_of_lead();
create trigger outreach_of_lead after update on leads for each row
  when (old.is_active is distinct from new.is_active or old.stage is distinct from new.stage
        or old.timezone is distinct from new.timezone or old.name is distinct from new.name
        or old.crm_fields is distinct from new.crm_fields)
  execute function outreach_of_lead();

create function outreach_of_contact() returns trigger language plpgsql as $$
begin
  update outreach set next_at = domain_now(), retry_at = null, tries = 0
   where lead_id = case when tg_op = 'DELETE' then old.lead_id else new.lead_id end;
  return null;
end $$;
create trigger outreach_of_contact after insert or update or delete on contacts
  for each row execute function outreach_of_contact();

create function outreach_of_dialogue() returns trigger language plpgsql as $$
begin
  update outreach o set next_at = domain_now(), retry_at = null, tries = 0
    from contacts c where c.id = new.contact_id and o.lead_id = c.lead_id;
  return null;
end $$;
create trigger outreach_of_new_dialogue after insert on dialogues for each row execute function outreach_of_dialogue();
create trigger outreach_of_dialogue after update on dialogues for each row
  when (old.owner is distinct from new.owner or old.is_main is distinct from new.is_main
        or old.last_user_msg_id is distinct from new.last_user_msg_id
        or old.last_bot_msg_id is distinct from new.last_bot_msg_id
        or old.skip_ping_for_msg_id is distinct from new.skip_ping_for_msg_id)
  execute function outreach_of_dialogue();

create function outreach_of_message() returns trigger language plpgsql as $$
begin
  update outreach o set next_at = domain_now(), retry_at = null, tries = 0
    from contacts c where c.id = new.contact_id and o.lead_id = c.lead_id;
  return null;
end $$;
-- What left well is told by its dialogue.
create trigger outreach_of_message after update of status on messages for each row
  when (new.side = 'bot' and old.status is distinct from new.status and new.status in ('error', 'cancelled', 'unconfirmed'))
  execute function outreach_of_message();

-- A product's own row is replanned with its leads; one that goes with its product needs no plan.
create function outreach_of_product() returns trigger language plpgsql as $$
begin
  insert into outreach_products (product_id, replan) values (new.id, tg_op = 'UPDATE')
  on conflict (product_id) do update set replan = true;
  return null;
end $$;
create trigger outreach_of_new_product after insert on products for each row execute function outreach_of_product();
create trigger outreach_of_product after update on products for each row
  when (old.config is distinct from new.config or old.is_active is distinct from new.is_active)
  execute function outreach_of_product();

create function outreach_of_setting() returns trigger language plpgsql as $$
begin
  update outreach_products set replan = true
   where product_id = case when tg_op = 'DELETE' then old.product_id else new.product_id end;
  return null;
end $$;
create trigger outreach_of_setting after insert or update or delete on schedules
  for each row execute function outreach_of_setting();
create trigger outreach_of_setting after insert or update or delete on ping_configs
  for each row execute function outreach_of_setting();
create trigger outreach_of_setting after insert or update or delete on product_channels
  for each row execute function outreach_of_setting();
create trigger outreach_of_setting after update on prompts for each row execute function outreach_of_setting();
create trigger outreach_of_setting after update on prepared_messages for each row execute function outreach_of_setting();

-- A channel that may send again, or no longer: those in line are looked at.
create function outreach_of_channel() returns trigger language plpgsql as $$
begin
  update outreach_products o set next_at = domain_now()
    from product_channels l where l.channel_id = new.id and o.product_id = l.product_id;
  return null;
end $$;
create trigger outreach_of_channel after update on channels for each row
  when (old.is_active is distinct from new.is_active or old.paused_until is distinct from new.paused_until
        or old.firsts_stopped_at is distinct from new.firsts_stopped_at or old.config is distinct from new.config
        or old.is_session_active is distinct from new.is_session_active)
  execute function outreach_of_channel();

create function outreach_of_account() returns trigger language plpgsql as $$
begin
  update outreach_products o set next_at = domain_now()
    from channels h join product_channels l on l.channel_id = h.id
   where h.account_id = new.id and o.product_id = l.product_id;
  return null;
end $$;
create trigger outreach_of_account after update on vendor_accounts for each row
  when (old.dead_reason is distinct from new.dead_reason) execute function outreach_of_account();
