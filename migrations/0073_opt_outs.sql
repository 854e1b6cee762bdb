-- Wishes of people to get no more messages. A wish is of one person and one company: it outlives leads and products, and
-- is found by the identities of the person, which are stored as keyed hashes.
create table opt_outs (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies (id) on delete cascade,
  state text not null check (state = any (array['doubtful', 'certain'])),
  source text not null check (source = any (array['words', 'model', 'detection', 'promise', 'operator', 'upgrade'])),
  since timestamptz(3) not null default domain_now(),
  -- Where it came from; the product stays when they are deleted.
  product_id bigint not null,
  lead_id bigint,
  dialogue_id bigint,
  -- Not checked: of several references that are emptied together, each would be checked before the next one is.
  message_id bigint,
  -- The operator who recorded it.
  operator text,
  -- Until when model or stage detection may decide about a doubtful one; then people are asked.
  decide_by timestamptz(3),
  asked_at timestamptz(3),
  ended_at timestamptz(3),
  -- Why it has ended: lifted, replaced by a certain one, or decided that the person wants no such thing, and by whom.
  ended_as text check (ended_as = any (array['lifted', 'certain', 'kept'])),
  ended_by text,
  foreign key (lead_id, product_id) references leads (id, product_id) on delete set null (lead_id),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete set null (dialogue_id),
  unique (id, company_id),
  constraint opt_outs_end check ((ended_at is null) = (ended_as is null)),
  constraint opt_outs_decision check ((decide_by is null) = (state = 'certain'))
);
create index opt_outs_lead on opt_outs (lead_id) where lead_id is not null;
comment on index opt_outs_lead is 'leads: the wish that came from a lead; leads: delete it';
create index opt_outs_dialogue on opt_outs (dialogue_id) where dialogue_id is not null;
comment on index opt_outs_dialogue is 'conversations: open doubts of a dialogue that the bot answers; conversations: delete it';
create index opt_outs_company on opt_outs (company_id) where ended_at is null;
comment on index opt_outs_company is 'leads: whether a company has open wishes; companies: delete it';
create index opt_outs_undecided on opt_outs (decide_by) where ended_at is null and asked_at is null and decide_by is not null;
comment on index opt_outs_undecided is 'conversations: doubts that people are to be asked about';

create table opt_out_identities (
  opt_out_id bigint not null,
  company_id bigint not null,
  identity_hash bytea not null,
  foreign key (opt_out_id, company_id) references opt_outs (id, company_id) on delete cascade,
  primary key (opt_out_id, identity_hash)
);
create index opt_out_identities_hash on opt_out_identities (company_id, identity_hash);
comment on index opt_out_identities_hash is 'leads: the wishes of a person';

-- What a lead has written before this instant does not count as a wish again.
alter table leads add column opt_out_lifted_at timestamptz(3);

alter table lead_events drop constraint lead_events_event_type_check, add constraint lead_events_event_type_check
  check (event_type = any (array['activated', 'deactivated', 'stage_changed', 'crm_status_changed', 'handed_over', 'returned_to_bot',
                                 'opt_out_lifted']));

-- Leads who have opted out and were not activated since. The key of the hashes is not in the database: the server adds the
-- identities when it starts, before it sends anything; until then the wish is found by its lead.
insert into opt_outs (company_id, product_id, state, source, since, lead_id)
select p.company_id, p.id, 'certain', 'upgrade',
       coalesce((select max(e.created_at) from lead_events e where e.lead_id = l.id and e.event_type = 'deactivated'), l.updated_at), l.id
  from leads l join products p on p.id = l.product_id
 where l.recognized_deactivation_request and not l.is_active;

-- Since when people are asked whether the person wants no more messages. The columns that are generated from what a
-- dialogue needs are generated again, and with them the index and the triggers that name them.
alter table dialogues
  add column may_opt_out_since timestamptz(3),
  drop column attention cascade, drop column attention_since cascade, drop column inbox_state cascade, drop column inbox_at cascade;
drop function dialogue_attention;
drop function dialogue_attention_since;

create function dialogue_attention(
  owner text, owner_reason text, hand_over_open boolean, waiting_since timestamptz, no_answer text,
  failed_since timestamptz, unconfirmed_since timestamptz, may_opt_out_since timestamptz
) returns text immutable parallel safe language plpgsql as $$
begin
  return case
    when owner = 'human' and hand_over_open and owner_reason in ('agrees_to_buy', 'qualified') then 'says_deal'
    when owner = 'human' and hand_over_open and owner_reason in ('asked_for_human', 'threatens') then 'asked_for_human'
    when may_opt_out_since is not null then 'may_opt_out'
    when owner = 'human' and hand_over_open and owner_reason = 'cannot_answer' then 'no_answer'
    when owner = 'bot' and no_answer is not null then 'no_answer'
    when owner = 'human' and waiting_since is not null then 'waiting_for_human'
    when failed_since is not null then 'send_failed'
    when unconfirmed_since is not null then 'unconfirmed'
  end;
end $$;

create function dialogue_attention_since(
  attention text, owner text, owner_since timestamptz, waiting_since timestamptz, last_user_msg_at timestamptz,
  created_at timestamptz, failed_since timestamptz, unconfirmed_since timestamptz, may_opt_out_since timestamptz
) returns timestamptz immutable parallel safe language plpgsql as $$
begin
  return case
    when attention = 'may_opt_out' then may_opt_out_since
    when attention in ('says_deal', 'asked_for_human') or (attention = 'no_answer' and owner = 'human') then owner_since
    when attention = 'no_answer' then coalesce(waiting_since, last_user_msg_at, created_at)
    when attention = 'waiting_for_human' then waiting_since
    when attention = 'send_failed' then failed_since
    when attention = 'unconfirmed' then unconfirmed_since
  end;
end $$;

alter table dialogues
  add column attention text generated always as (
    dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since, may_opt_out_since)
  ) stored,
  add column attention_since timestamptz(3) generated always as (
    dialogue_attention_since(
      dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since, may_opt_out_since),
      owner, owner_since, waiting_since, last_user_msg_at, created_at, failed_since, unconfirmed_since, may_opt_out_since)
  ) stored,
  add column inbox_state text not null generated always as (
    case
      when snoozed_until is not null or snoozed_until_reply then 'snoozed'
      when dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since, may_opt_out_since)
        is not null then 'needs_human'
      when done_at is not null then 'done'
      else owner
    end
  ) stored,
  add column inbox_at timestamptz(3) not null generated always as (
    case
      when snoozed_until is not null or snoozed_until_reply then coalesce(snoozed_until, last_msg_created_at, created_at)
      else coalesce(
        dialogue_attention_since(
          dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since, may_opt_out_since),
          owner, owner_since, waiting_since, last_user_msg_at, created_at, failed_since, unconfirmed_since, may_opt_out_since),
        done_at, last_msg_created_at, created_at)
    end
  ) stored;

create index dialogues_inbox on dialogues (product_id, inbox_state, (coalesce(assignee_id, 0)), inbox_at, id);
comment on index dialogues_inbox is 'desk: the views of the inbox, page by page';

-- The functions whose triggers went with the columns are applied again.
do $$
declare
  named text;
begin
  foreach named in array array['count_inbox', 'notify_inbox', 'track_alert'] loop
    if to_regproc(named) is not null then execute format('comment on function %s is null', named); end if;
  end loop;
end $$;
