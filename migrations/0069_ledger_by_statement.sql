-- The ledger is kept for all rows of a statement together, not for each row.
drop trigger if exists stamp_message_new on messages;
drop trigger if exists stamp_message on messages;
drop trigger if exists count_message_new on messages;
drop trigger if exists count_message on messages;
drop trigger if exists count_run_new on llm_runs;
drop trigger if exists stamp_run on llm_runs;
drop function if exists stamp_message();
drop function if exists count_message();

-- Most changes of an attempt change no column that an index has: they stay on their page while it has room.
alter table outcomes set (fillfactor = 85);

-- From this moment on, before the functions' files are applied.

-- Stamps a message that is exchanged, after it was stored, with the attempt it belongs to. A lead who writes after having
-- refused, been ignored or failed begins another attempt; the lead is locked then. While the history of a lead is not counted
-- yet its number is not known: the message waits for a count that runs, or is left to the count that comes.
create or replace function stamp_message(m messages) returns void language plpgsql as $$
declare
  lead record;
  own_attempt smallint;
begin
  for pass in 1..2 loop
    select l.id, l.attempt, o.is_stale, m.side = 'user' and not o.is_stale and o.outcome in ('refused', 'ignore', 'failed') as is_back
      into lead
      from contacts c join leads l on l.id = c.lead_id
      left join outcomes o on o.lead_id = l.id and o.attempt = l.attempt
     where c.id = m.contact_id;
    exit when lead.is_stale is not true or pass = 2;
    perform from leads where id = lead.id for key share;
  end loop;
  own_attempt := coalesce(lead.attempt, 1);
  if lead.is_back then
    own_attempt := lead.attempt + 1;
    insert into outcomes (lead_id, attempt, product_id) values (lead.id, own_attempt, m.product_id) on conflict do nothing;
    update leads set attempt = own_attempt where id = lead.id;
  end if;
  if m.attempt <> own_attempt then
    update messages set attempt = own_attempt where id = m.id;
  end if;
end $$;

-- Adds a message that is exchanged, and stamped with its attempt, to the ledger of outcomes. What comes after all others of
-- its attempt is added; what changes an earlier instant makes the function recount the lead.
create or replace function count_message(m messages) returns void language plpgsql as $$
declare
  own_lead bigint;
  before outcomes;
  ours boolean := m.side = 'bot';
  at timestamptz := coalesce(m.sent_at, m.created_at);
  is_text boolean := m.origin is not distinct from 'first';
  is_answer boolean := m.author = 'bot' and m.turn is not null and m.origin is null;
  is_step boolean := m.ping_step_number is not null;
  answer_model text := m.model_vendor || '/' || m.model_name;
  key text;
  own record;
  answered_step integer;
begin
  select c.lead_id into own_lead from contacts c where c.id = m.contact_id;
  select * into before from outcomes o where o.lead_id = own_lead and o.attempt = m.attempt for no key update;
  if before.lead_id is null or before.is_stale then return; end if;
  -- A recount for another message of the statement has counted this one.
  if (before.last_at, before.last_message_id) = (at, m.id) then return; end if;
  if (before.last_at, before.last_message_id) > (at, m.id) then
    perform recount_outcomes(array[own_lead]);
    return;
  end if;
  if is_answer then key := answer_key(m.prompt_id, m.prompt_version, answer_model); end if;
  if before.started_at is null then
    select l.import_id, l.imported_pipeline_id, l.imported_step_id, lead_source(l.import_id, l.crm_id, case when m.attempt = 1 then case when ours then 'us' else 'lead' end
             else (select f.started_by from outcomes f where f.lead_id = own_lead and f.attempt = 1) end) as source
      into own from leads l where l.id = own_lead;
    before.import_id := own.import_id;
    before.source := own.source;
    before.crm_pipeline_id := own.imported_pipeline_id;
    before.crm_step_id := own.imported_step_id;
  end if;
  if not ours and before.last_step_message_id is not null then
    update outcome_steps set answered_at = at where message_id = before.last_step_message_id and answered_at is null
    returning step into answered_step;
  end if;
  update outcomes o set
    started_at = coalesce(o.started_at, at),
    started_by = coalesce(o.started_by, case when ours then 'us' else 'lead' end),
    first_message_id = coalesce(o.first_message_id, m.id),
    channel_id = coalesce(o.channel_id, m.channel_id),
    source = before.source,
    import_id = before.import_id,
    crm_pipeline_id = before.crm_pipeline_id,
    crm_step_id = before.crm_step_id,
    last_at = at,
    last_message_id = m.id,
    last_author = case when ours then m.author else o.last_author end,
    sent = o.sent + ours::int,
    received = o.received + (not ours)::int,
    written_at = case when ours then coalesce(o.written_at, at) else o.written_at end,
    delivered_at = case when ours and m.status in ('delivered', 'read')
                        then least(o.delivered_at, coalesce(m.sent_confirmation_at, at)) else o.delivered_at end,
    read_at = case when ours and m.status = 'read' then least(o.read_at, coalesce(m.read_at, at)) else o.read_at end,
    answered_at = case when ours then o.answered_at else coalesce(o.answered_at, at) end,
    replied_at = case when ours and at > o.answered_at then coalesce(o.replied_at, at) else o.replied_at end,
    language = case when ours then o.language else coalesce(o.language, language_of(m.message)) end,
    operator = case when m.author = 'operator' then coalesce(m.operator, o.operator) else o.operator end,
    text_message_id = case when is_text then coalesce(o.text_message_id, m.id) else o.text_message_id end,
    prepared_message_id = case when is_text and o.text_message_id is null then m.prepared_message_id else o.prepared_message_id end,
    text_prompt_id = case when is_text and o.text_message_id is null then m.prompt_id else o.text_prompt_id end,
    text_prompt_version = case when is_text and o.text_message_id is null then m.prompt_version else o.text_prompt_version end,
    answer_message_id = case when is_answer then coalesce(o.answer_message_id, m.id) else o.answer_message_id end,
    prompt_id = case when is_answer and o.answer_message_id is null then m.prompt_id else o.prompt_id end,
    prompt_version = case when is_answer and o.answer_message_id is null then m.prompt_version else o.prompt_version end,
    model = case when is_answer and o.answer_message_id is null then answer_model else o.model end,
    last_answer_message_id = case when is_answer then m.id else o.last_answer_message_id end,
    last_prompt_id = case when is_answer then m.prompt_id else o.last_prompt_id end,
    last_prompt_version = case when is_answer then m.prompt_version else o.last_prompt_version end,
    last_model = case when is_answer then answer_model else o.last_model end,
    answers = case when is_answer then o.answers || jsonb_build_object(key, coalesce((o.answers->>key)::int, 0) + 1) else o.answers end,
    steps = o.steps + is_step::int,
    steps_sent = case when is_step then o.steps_sent | (1::bigint << (m.ping_step_number - 1)) else o.steps_sent end,
    steps_answered = case when answered_step is null then o.steps_answered else o.steps_answered | (1::bigint << (answered_step - 1)) end,
    last_step_message_id = case when is_step then m.id else o.last_step_message_id end
   where o.lead_id = own_lead and o.attempt = m.attempt;
  if is_step then
    insert into outcome_steps (message_id, lead_id, attempt, product_id, ping_config_id, step, sent_at, prepared_message_id)
    values (m.id, own_lead, m.attempt, m.product_id, m.ping_config_id, m.ping_step_number, at, m.prepared_message_id);
  end if;
end $$;

-- Adds messages that were exchanged to the ledger of outcomes: of ours and of leads. What most messages change is added to
-- all leads at once, in the order of leads: another one follows in a conversation, one for each lead. The others are counted
-- one by one, which takes several times as long.
create or replace function count_exchanged(ours bigint[], theirs bigint[]) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  counted bigint[];
  again bigint[];
  others bigint[];
  stamps smallint[];
  rest messages;
begin
  if cardinality(ours) > 0 then
    with given as (
      select distinct on (c.lead_id) c.lead_id, l.attempt, m.id, m.attempt as stamped, m.author, m.status, m.prompt_id, m.prompt_version,
             coalesce(m.sent_at, m.created_at) as at, m.origin is not distinct from 'first' as is_text,
             m.author = 'bot' and m.turn is not null and m.origin is null as is_answer,
             m.model_vendor || '/' || m.model_name as model
        from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id
       where m.id = any(ours) and m.ping_step_number is null and m.author <> 'operator'
       order by c.lead_id, coalesce(m.sent_at, m.created_at), m.id
    ), added as (
      update outcomes o set
        last_at = g.at, last_message_id = g.id, last_author = g.author, sent = o.sent + 1,
        last_answer_message_id = case when g.is_answer then g.id else o.last_answer_message_id end,
        last_model = case when g.is_answer then g.model else o.last_model end,
        answers = case when g.is_answer then o.answers || jsonb_build_object(answer_key(g.prompt_id, g.prompt_version, g.model),
                       coalesce((o.answers->>answer_key(g.prompt_id, g.prompt_version, g.model))::int, 0) + 1) else o.answers end
        from given g
       where o.lead_id = g.lead_id and o.attempt = g.attempt and not o.is_stale
         and (o.last_at, o.last_message_id) < (g.at, g.id) and o.written_at is not null
         and (o.replied_at is not null or o.answered_at is null) and (o.text_message_id is not null or not g.is_text)
         and (not g.is_answer or o.answer_message_id is not null
              and (o.last_prompt_id, o.last_prompt_version) is not distinct from (g.prompt_id, g.prompt_version))
         and (g.status = 'sent' or o.read_at is not null and o.delivered_at is not null and o.read_at <= g.at and o.delivered_at <= g.at)
      returning g.id, g.attempt, g.stamped <> g.attempt as is_new_stamp
    )
    select array_agg(id), array_agg(id) filter (where is_new_stamp), array_agg(attempt) filter (where is_new_stamp)
      into counted, again, stamps from added;
  end if;
  if cardinality(theirs) > 0 then
    with given as (
      select distinct on (c.lead_id) c.lead_id, l.attempt, m.id, m.attempt as stamped, coalesce(m.sent_at, m.created_at) as at
        from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id
       where m.id = any(theirs)
       order by c.lead_id, coalesce(m.sent_at, m.created_at), m.id
    ), added as (
      update outcomes o set last_at = g.at, last_message_id = g.id, received = o.received + 1
        from given g
       where o.lead_id = g.lead_id and o.attempt = g.attempt and not o.is_stale
         and (o.outcome in ('refused', 'ignore', 'failed')) is not true
         and (o.last_at, o.last_message_id) < (g.at, g.id) and o.answered_at is not null and o.language is not null
         and (o.last_step_message_id is null or not exists (
               select from outcome_steps s where s.message_id = o.last_step_message_id and s.answered_at is null))
      returning g.id, g.attempt, g.stamped <> g.attempt as is_new_stamp
    )
    select counted || array_agg(id), again || array_agg(id) filter (where is_new_stamp), stamps || array_agg(attempt) filter (where is_new_stamp)
      into counted, again, stamps from added;
  end if;
  if again is not null then
    update messages m set attempt = a.attempt from unnest(again, stamps) as a (id, attempt) where m.id = a.id;
  end if;
  if coalesce(cardinality(counted), 0) = coalesce(cardinality(ours), 0) + coalesce(cardinality(theirs), 0) then return; end if;
  others := array(select m.id from messages m where m.id = any(ours || theirs) and (m.id = any(counted)) is not true);
  -- All are stamped before one is counted: a recount for one of them counts the others of its lead too, by their stamps.
  for rest in select * from messages m where m.id = any(others) order by coalesce(m.sent_at, m.created_at), m.id loop
    perform stamp_message(rest);
  end loop;
  for rest in select * from messages m where m.id = any(others) order by coalesce(m.sent_at, m.created_at), m.id loop
    perform count_message(rest);
  end loop;
end $$;

-- Keeps the ledger of outcomes after messages were stored or changed, for all of a statement together. Whole statements take
-- half of the time that rows take one by one: conditions of row triggers are parsed for every statement, and each row
-- would run statements of its own.
create or replace function count_messages() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  ours bigint[];
  theirs bigint[];
  risen bigint[];
  moved bigint[];
begin
  if tg_op = 'INSERT' then
    select array_agg(id) filter (where side = 'bot'), array_agg(id) filter (where side = 'user') into ours, theirs
      from new_messages where is_exchanged(side, kind, status);
  else
    -- Tests of membership that are hashed, whatever the planner expects: a statement may change thousands of rows.
    select array_agg(n.id) filter (where not n.was and n.side = 'bot'), array_agg(n.id) filter (where not n.was and n.side = 'user'),
           array_agg(n.id) filter (where n.was and n.is_now and n.is_in_place),
           array_agg(n.id) filter (where n.was and not (n.is_now and n.is_in_place))
      into ours, theirs, risen, moved
      from (
        select n.id, n.side, is_exchanged(n.side, n.kind, n.status) as is_now,
               (n.id in (select o.id from old_messages o where is_exchanged(o.side, o.kind, o.status))) is true as was,
               ((n.id, coalesce(n.sent_at, '-infinity')) in (select o.id, coalesce(o.sent_at, '-infinity') from old_messages o)) is true as is_in_place,
               ((n.id, n.status) in (select o.id, o.status from old_messages o)) is true as is_same
          from new_messages n
      ) as n
     where not (n.is_same and n.is_in_place) and (n.was or n.is_now);
    if risen is not null then
      update outcomes o set delivered_at = least(o.delivered_at, f.delivered_at), read_at = least(o.read_at, f.read_at)
        from (select c.lead_id, m.attempt, min(coalesce(m.sent_confirmation_at, m.sent_at, m.created_at)) as delivered_at,
                     min(coalesce(m.read_at, m.sent_at, m.created_at)) filter (where m.status = 'read') as read_at
                from messages m join contacts c on c.id = m.contact_id where m.id = any(risen)
               group by 1, 2 order by 1, 2) as f
       where o.lead_id = f.lead_id and o.attempt = f.attempt
         and (o.delivered_at is null or f.delivered_at < o.delivered_at or f.read_at is not null and (o.read_at is null or f.read_at < o.read_at));
    end if;
  end if;
  if ours is not null or theirs is not null then perform count_exchanged(ours, theirs); end if;
  -- Last, when all are stamped: it counts the others of these leads, too.
  if moved is not null then
    perform recount_outcomes(array_agg(distinct c.lead_id)) from messages m join contacts c on c.id = m.contact_id where m.id = any(moved);
  end if;
  return null;
end $$;

create or replace trigger count_new_messages after insert on messages
  referencing new table as new_messages for each statement execute function count_messages();

create or replace trigger count_messages after update on messages
  referencing old table as old_messages new table as new_messages for each statement execute function count_messages();

-- Stamps the runs that a statement has stored with the attempt of their leads, and adds their cost to it, also of leads
-- whose history is not counted yet. While the history of a lead is being counted, its runs wait for it: the count waits for
-- the lock of the row, or these for the count.
create or replace function count_runs() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  wrong bigint[];
  stamps smallint[];
begin
  if exists (select from new_runs n join outcomes o on o.lead_id = n.lead_id where o.is_stale) then
    perform from leads where id in (select lead_id from new_runs) order by id for key share;
  end if;
  with given as (
    select n.lead_id, l.attempt, coalesce(sum(n.cost), 0) as cost, array_agg(n.id) filter (where n.attempt <> l.attempt) as wrong
      from new_runs n join leads l on l.id = n.lead_id group by n.lead_id, l.attempt order by n.lead_id
  ), added as (
    update outcomes o set cost = o.cost + g.cost from given g
     where o.lead_id = g.lead_id and o.attempt = g.attempt and g.cost > 0
  )
  select array_agg(id), array_agg(g.attempt) into wrong, stamps from given g cross join unnest(g.wrong) as id;
  if wrong is not null then
    update llm_runs r set attempt = a.attempt from unnest(wrong, stamps) as a (id, attempt) where r.id = a.id;
  end if;
  return null;
end $$;

create or replace trigger count_runs after insert on llm_runs
  referencing new table as new_runs for each statement execute function count_runs();
create or replace function stamp_run() returns trigger language plpgsql as $$
declare
  is_stale boolean;
begin
  select l.attempt, exists (select from outcomes o where o.lead_id = l.id and o.is_stale) into new.attempt, is_stale
    from leads l where l.id = new.lead_id;
  if is_stale then
    perform from leads where id = new.lead_id for key share;
    select attempt into new.attempt from leads where id = new.lead_id;
  end if;
  new.attempt := coalesce(new.attempt, 1);
  return new;
end $$;

create or replace trigger stamp_run before update of lead_id on llm_runs for each row
  when (new.lead_id is not null and old.lead_id is distinct from new.lead_id) execute function stamp_run();
