-- Adds an event of a lead to the ledger of outcomes. A stage that is changed back was a mistake: the attempt goes on.
create or replace function count_event() returns trigger language plpgsql as $$
declare
  to_stage text := new.event_data->>'to';
  is_end boolean := to_stage in ('success', 'refused', 'ignore', 'failed');
begin
  if new.event_type = 'stage_changed' then
    if to_stage = 'initial' then
      insert into outcomes (lead_id, attempt, product_id) values (new.lead_id, new.attempt, new.product_id) on conflict do nothing;
      update leads set attempt = new.attempt where id = new.lead_id and attempt < new.attempt;
    end if;
    update outcomes set
      outcome = case when is_end then to_stage end,
      ended_at = case when is_end then new.created_at end,
      ended_by = case when is_end then new.event_data->>'by' end,
      refusal_reason = case when to_stage = 'refused' then refusal_reason(new.event_data) end,
      qualified_at = case when to_stage in ('pending', 'success') then coalesce(qualified_at, new.created_at)
                          when is_end then qualified_at end
     where lead_id = new.lead_id and attempt = new.attempt and not is_stale
       -- The stages before have neither: mostly there is nothing to take back.
       and (is_end or to_stage = 'pending' or outcome is not null or qualified_at is not null);
  elsif new.event_type = 'handed_over' then
    update outcomes set handed_over_at = new.created_at
     where lead_id = new.lead_id and attempt = new.attempt and not is_stale and handed_over_at is null;
  elsif is_opt_out(new.event_data) then
    with marked as (
      update outcome_steps s set opted_out = true from outcomes o
       where o.lead_id = new.lead_id and o.attempt = new.attempt and s.message_id = o.last_step_message_id
      returning s.step
    )
    update outcomes set
      opted_out_at = coalesce(opted_out_at, new.created_at),
      steps_opted_out = steps_opted_out | coalesce((select 1::bigint << (step - 1) from marked), 0)
     where lead_id = new.lead_id and attempt = new.attempt and not is_stale;
  end if;
  return null;
end $$;

create or replace trigger count_event after insert on lead_events for each row
  when (new.event_type in ('stage_changed', 'handed_over', 'deactivated')) execute function count_event();
