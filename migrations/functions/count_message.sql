-- Adds a message that was exchanged to the ledger of outcomes. What comes after all others of its attempt is added; what
-- changes an earlier instant makes the function recount the lead.
create or replace function count_message() returns trigger language plpgsql as $$
declare
  lead bigint;
  before outcomes;
  ours boolean := new.side = 'bot';
  at timestamptz := coalesce(new.sent_at, new.created_at);
  is_text boolean := new.origin is not distinct from 'first';
  is_answer boolean := new.author = 'bot' and new.turn is not null and new.origin is null;
  is_step boolean := new.ping_step_number is not null;
  answer_model text := new.model_vendor || '/' || new.model_name;
  key text;
  own record;
  answered_step integer;
begin
  if tg_op = 'UPDATE' and is_exchanged(old.side, old.kind, old.status) then
    if not is_exchanged(new.side, new.kind, new.status) or old.sent_at is distinct from new.sent_at then
      perform recount_outcomes(array[c.lead_id]) from contacts c where c.id = new.contact_id;
    else
      update outcomes o set delivered_at = least(o.delivered_at, f.delivered_at), read_at = least(o.read_at, f.read_at)
        from contacts c, (select coalesce(new.sent_confirmation_at, at) as delivered_at,
                                 case when new.status = 'read' then coalesce(new.read_at, at) end as read_at) as f
       where c.id = new.contact_id and o.lead_id = c.lead_id and o.attempt = new.attempt
         and (o.delivered_at is null or f.delivered_at < o.delivered_at or o.read_at is null or f.read_at < o.read_at);
    end if;
    return null;
  end if;
  if is_answer then key := answer_key(new.prompt_id, new.prompt_version, answer_model); end if;
  -- What most messages change: another one follows in a conversation. The general statement below takes three times as long.
  if ours then
    update outcomes o set
      last_at = at, last_message_id = new.id, last_author = new.author, sent = o.sent + 1,
      last_answer_message_id = case when is_answer then new.id else o.last_answer_message_id end,
      last_model = case when is_answer then answer_model else o.last_model end,
      answers = case when is_answer then o.answers || jsonb_build_object(key, coalesce((o.answers->>key)::int, 0) + 1) else o.answers end
      from contacts c
     where not is_step and new.author <> 'operator'
       and c.id = new.contact_id and o.lead_id = c.lead_id and o.attempt = new.attempt and not o.is_stale
       and (o.last_at, o.last_message_id) <= (at, new.id) and o.written_at is not null
       and (o.replied_at is not null or o.answered_at is null) and (o.text_message_id is not null or not is_text)
       and (not is_answer or o.answer_message_id is not null
            and (o.last_prompt_id, o.last_prompt_version) is not distinct from (new.prompt_id, new.prompt_version))
       and (new.status = 'sent' or o.read_at is not null and o.delivered_at is not null and o.read_at <= at and o.delivered_at <= at);
  else
    update outcomes o set last_at = at, last_message_id = new.id, received = o.received + 1
      from contacts c
     where c.id = new.contact_id and o.lead_id = c.lead_id and o.attempt = new.attempt and not o.is_stale
       and (o.last_at, o.last_message_id) <= (at, new.id) and o.answered_at is not null and o.language is not null
       and (o.last_step_message_id is null or not exists (
             select from outcome_steps s where s.message_id = o.last_step_message_id and s.answered_at is null));
  end if;
  if found then return null; end if;
  select c.lead_id into lead from contacts c where c.id = new.contact_id;
  select * into before from outcomes o where o.lead_id = lead and o.attempt = new.attempt for no key update;
  if before.lead_id is null or before.is_stale then return null; end if;
  if (before.last_at, before.last_message_id) > (at, new.id) then
    perform recount_outcomes(array[lead]);
    return null;
  end if;
  if before.started_at is null then
    select l.import_id, l.imported_pipeline_id, l.imported_step_id, lead_source(l.import_id, l.crm_id, case when new.attempt = 1 then case when ours then 'us' else 'lead' end
             else (select f.started_by from outcomes f where f.lead_id = lead and f.attempt = 1) end) as source
      into own from leads l where l.id = lead;
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
    first_message_id = coalesce(o.first_message_id, new.id),
    channel_id = coalesce(o.channel_id, new.channel_id),
    source = before.source,
    import_id = before.import_id,
    crm_pipeline_id = before.crm_pipeline_id,
    crm_step_id = before.crm_step_id,
    last_at = at,
    last_message_id = new.id,
    last_author = case when ours then new.author else o.last_author end,
    sent = o.sent + ours::int,
    received = o.received + (not ours)::int,
    written_at = case when ours then coalesce(o.written_at, at) else o.written_at end,
    delivered_at = case when ours and new.status in ('delivered', 'read')
                        then least(o.delivered_at, coalesce(new.sent_confirmation_at, at)) else o.delivered_at end,
    read_at = case when ours and new.status = 'read' then least(o.read_at, coalesce(new.read_at, at)) else o.read_at end,
    answered_at = case when ours then o.answered_at else coalesce(o.answered_at, at) end,
    replied_at = case when ours and at > o.answered_at then coalesce(o.replied_at, at) else o.replied_at end,
    language = case when ours then o.language else coalesce(o.language, language_of(new.message)) end,
    operator = case when new.author = 'operator' then coalesce(new.operator, o.operator) else o.operator end,
    text_message_id = case when is_text then coalesce(o.text_message_id, new.id) else o.text_message_id end,
    prepared_message_id = case when is_text and o.text_message_id is null then new.prepared_message_id else o.prepared_message_id end,
    text_prompt_id = case when is_text and o.text_message_id is null then new.prompt_id else o.text_prompt_id end,
    text_prompt_version = case when is_text and o.text_message_id is null then new.prompt_version else o.text_prompt_version end,
    answer_message_id = case when is_answer then coalesce(o.answer_message_id, new.id) else o.answer_message_id end,
    prompt_id = case when is_answer and o.answer_message_id is null then new.prompt_id else o.prompt_id end,
    prompt_version = case when is_answer and o.answer_message_id is null then new.prompt_version else o.prompt_version end,
    model = case when is_answer and o.answer_message_id is null then answer_model else o.model end,
    last_answer_message_id = case when is_answer then new.id else o.last_answer_message_id end,
    last_prompt_id = case when is_answer then new.prompt_id else o.last_prompt_id end,
    last_prompt_version = case when is_answer then new.prompt_version else o.last_prompt_version end,
    last_model = case when is_answer then answer_model else o.last_model end,
    answers = case when is_answer then o.answers || jsonb_build_object(key, coalesce((o.answers->>key)::int, 0) + 1) else o.answers end,
    steps = o.steps + is_step::int,
    steps_sent = case when is_step then o.steps_sent | (1::bigint << (new.ping_step_number - 1)) else o.steps_sent end,
    steps_answered = case when answered_step is null then o.steps_answered else o.steps_answered | (1::bigint << (answered_step - 1)) end,
    last_step_message_id = case when is_step then new.id else o.last_step_message_id end
   where o.lead_id = lead and o.attempt = new.attempt;
  if is_step then
    insert into outcome_steps (message_id, lead_id, attempt, product_id, ping_config_id, step, sent_at, prepared_message_id)
    values (new.id, lead, new.attempt, new.product_id, new.ping_config_id, new.ping_step_number, at, new.prepared_message_id);
  end if;
  return null;
end $$;

create or replace trigger count_message_new after insert on messages for each row
  when (is_exchanged(new.side, new.kind, new.status)) execute function count_message();

create or replace trigger count_message after update of status, sent_at on messages for each row
  when ((old.status is distinct from new.status or old.sent_at is distinct from new.sent_at)
    and (is_exchanged(old.side, old.kind, old.status) or is_exchanged(new.side, new.kind, new.status)))
  execute function count_message();
