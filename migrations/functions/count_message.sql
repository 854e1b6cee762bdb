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
