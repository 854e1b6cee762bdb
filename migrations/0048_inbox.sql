-- What a dialogue needs from people, since when, and who sees to it. Everything that decides about it is a column of the
-- dialogue, so that the columns generated from them are never wrong.
alter table dialogues
  add column waiting_since timestamptz(3),
  add column hand_over_open boolean not null default false,
  add column failed_since timestamptz(3),
  add column unconfirmed_since timestamptz(3),
  add column assignee_id bigint references operators (id) on delete set null,
  add column snoozed_until timestamptz(3),
  add column snoozed_until_reply boolean not null default false,
  add column done_at timestamptz(3),
  add column human_at timestamptz(3),
  add column return_hours integer check (return_hours between 0 and 8760);

alter table dialogues drop constraint dialogues_owner_reason_check, add constraint dialogues_owner_reason_check
  check (owner_reason = any (array['operator', 'phone', 'qualified', 'writes_again', 'crm_step', 'crm_deleted',
                                   'asked_for_human', 'agrees_to_buy', 'cannot_answer', 'threatens']));
alter table messages drop constraint messages_origin_check, add constraint messages_origin_check
  check (origin = any (array['first', 'ping', 'hand_over']));

alter table products
  add column target_minutes integer not null default 15 check (target_minutes between 1 and 10080),
  add column return_to_bot_hours integer check (return_to_bot_hours between 1 and 8760),
  add column hand_over boolean not null default false,
  add column hand_over_text text not null default '',
  add column round_robin boolean not null default false;
-- The bot of a product that exists does not change by itself.
alter table products alter column hand_over set default true;

-- What happened before: a lead who wrote last waits, and a message that failed last is seen to.
update dialogues d set waiting_since = d.last_user_msg_at
 where d.last_user_msg_at > coalesce((select m.thread_at from messages m where m.id = d.last_bot_msg_id), '-infinity')
   and (d.owner = 'human' or d.no_answer is not null);
update dialogues d set human_at = d.owner_since where d.owner = 'human';
update dialogues d set failed_since = f.failed, unconfirmed_since = f.unconfirmed
  from (select dialogue_id, min(thread_at) filter (where status = 'error') as failed,
               min(thread_at) filter (where status = 'unconfirmed') as unconfirmed
          from messages where status in ('error', 'unconfirmed') and side = 'bot' and origin is null and removed_at is null
         group by dialogue_id) as f
 where d.id = f.dialogue_id and coalesce(f.failed, f.unconfirmed) >= coalesce(d.last_msg_created_at, '-infinity');

-- What a dialogue needs from people; null: nothing. The one rule, for lists, counts, alerts and the API.
create function dialogue_attention(
  owner text, owner_reason text, hand_over_open boolean, waiting_since timestamptz, no_answer text,
  failed_since timestamptz, unconfirmed_since timestamptz
) returns text immutable parallel safe language sql return
  case
    when owner = 'human' and hand_over_open and owner_reason in ('agrees_to_buy', 'qualified') then 'says_deal'
    when owner = 'human' and hand_over_open and owner_reason in ('asked_for_human', 'threatens') then 'asked_for_human'
    when owner = 'human' and hand_over_open and owner_reason = 'cannot_answer' then 'no_answer'
    when owner = 'bot' and no_answer is not null then 'no_answer'
    when owner = 'human' and waiting_since is not null then 'waiting_for_human'
    when failed_since is not null then 'send_failed'
    when unconfirmed_since is not null then 'unconfirmed'
  end;

-- Since when it needs it.
create function dialogue_attention_since(
  attention text, owner text, owner_since timestamptz, waiting_since timestamptz, last_user_msg_at timestamptz,
  created_at timestamptz, failed_since timestamptz, unconfirmed_since timestamptz
) returns timestamptz immutable parallel safe language sql return
  case
    when attention in ('says_deal', 'asked_for_human') or (attention = 'no_answer' and owner = 'human') then owner_since
    when attention = 'no_answer' then coalesce(waiting_since, last_user_msg_at, created_at)
    when attention = 'waiting_for_human' then waiting_since
    when attention = 'send_failed' then failed_since
    when attention = 'unconfirmed' then unconfirmed_since
  end;

alter table dialogues
  add column attention text generated always as (
    dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since)
  ) stored,
  add column attention_since timestamptz(3) generated always as (
    dialogue_attention_since(
      dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since),
      owner, owner_since, waiting_since, last_user_msg_at, created_at, failed_since, unconfirmed_since)
  ) stored,
  -- Which view of the inbox shows it.
  add column inbox_state text not null generated always as (
    case
      when snoozed_until is not null or snoozed_until_reply then 'snoozed'
      when dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since) is not null
        then 'needs_human'
      when done_at is not null then 'done'
      else owner
    end
  ) stored,
  -- Its place there.
  add column inbox_at timestamptz(3) not null generated always as (
    case
      when snoozed_until is not null or snoozed_until_reply then coalesce(snoozed_until, last_msg_created_at, created_at)
      else coalesce(
        dialogue_attention_since(
          dialogue_attention(owner, owner_reason, hand_over_open, waiting_since, no_answer, failed_since, unconfirmed_since),
          owner, owner_since, waiting_since, last_user_msg_at, created_at, failed_since, unconfirmed_since),
        done_at, last_msg_created_at, created_at)
    end
  ) stored;

create index dialogues_inbox on dialogues (product_id, inbox_state, (coalesce(assignee_id, 0)), inbox_at, id);
comment on index dialogues_inbox is 'desk: the views of the inbox, page by page';
create index dialogues_snoozed on dialogues (snoozed_until) where snoozed_until is not null;
comment on index dialogues_snoozed is 'desk: dialogues whose snooze ends';
create index dialogues_return on dialogues (product_id, human_at) where owner = 'human' and return_hours is null;
comment on index dialogues_return is 'desk: dialogues that return to the bot after the time of their product';
create index dialogues_return_own on dialogues (human_at) where owner = 'human' and return_hours > 0;
comment on index dialogues_return_own is 'desk: dialogues that return to the bot after a time of their own';
create index dialogues_assignee on dialogues (assignee_id) where assignee_id is not null;
comment on index dialogues_assignee is 'access: dialogues of an operator who is deleted';

-- How many dialogues of a product are in a state of the inbox, by assignee, as differences: their sum is the count.
-- They are appended, so that no transaction waits for another, and folded from time to time.
create table inbox_counts (
  product_id bigint not null,
  inbox_state text not null,
  assignee_id bigint,
  count integer not null
);
create index inbox_counts_product on inbox_counts (product_id);
comment on index inbox_counts_product is 'desk: the counts of the inbox';
insert into inbox_counts (product_id, inbox_state, assignee_id, count)
select product_id, inbox_state, assignee_id, count(*) from dialogues group by 1, 2, 3;

-- A hand-over by the bot or by stage detection, and what follows from it: a summary, a note and a task in the CRM.
create table hand_overs (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  dialogue_id bigint not null,
  lead_id bigint not null,
  turn integer not null,
  reason text not null check (reason = any (array['qualified', 'asked_for_human', 'agrees_to_buy', 'cannot_answer', 'threatens'])),
  detail text,
  assignee_id bigint,
  created_at timestamptz(3) not null default domain_now(),
  due_at timestamptz(3) not null,
  summary jsonb,
  summary_state text not null default 'pending' check (summary_state = any (array['pending', 'done', 'failed', 'off'])),
  crm_state text not null default 'pending' check (crm_state = any (array['pending', 'none', 'done', 'failed'])),
  crm_marker uuid not null default gen_random_uuid(),
  crm_note_id text,
  crm_task_id text,
  attempts integer not null default 0,
  retry_at timestamptz(3),
  error text,
  claimed_by uuid,
  claimed_until timestamptz(3),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade,
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade,
  unique (dialogue_id, turn),
  constraint hand_overs_claim_ends check ((claimed_by is null) = (claimed_until is null))
);
create index hand_overs_product on hand_overs (product_id, id);
comment on index hand_overs_product is 'conversations: the newest hand-over of a product, whose assignee is followed by the next one';

-- What operators tell each other about a dialogue. Never sent, and never shown to a model.
create table dialogue_notes (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  dialogue_id bigint not null,
  operator text not null,
  text text not null check (btrim(text) <> ''),
  created_at timestamptz(3) not null default domain_now(),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade
);
create index dialogue_notes_dialogue on dialogue_notes (dialogue_id, id);
comment on index dialogue_notes_dialogue is 'desk: the notes of a dialogue; delete them with it';

alter table lead_events drop constraint lead_events_event_type_check, add constraint lead_events_event_type_check
  check (event_type = any (array['activated', 'deactivated', 'stage_changed', 'crm_status_changed', 'handed_over', 'returned_to_bot']));
