-- Numbers the attempts of a lead from its history, and stamps messages, events and runs: for what was stored before there was
-- a ledger, or past its triggers. The lead is locked.
create or replace function number_attempts(lead bigint) returns void language plpgsql as $$
declare
  number smallint := 1;
  ended text;
  item record;
begin
  for item in
    select e.created_at as at, 0 as kind, e.id, e.attempt, null as side, e.event_type = 'stage_changed' as moves,
           e.event_data->>'from' as moved_from, e.event_data->>'to' as moved_to
      from lead_events e where e.lead_id = lead
    union all
    select coalesce(m.sent_at, m.created_at), 1, m.id, m.attempt, m.side, false, null, null
      from contacts c join dialogues d on d.contact_id = c.id join messages m on m.dialogue_id = d.id
     where c.lead_id = lead and is_exchanged(m.side, m.kind, m.status)
     order by at, kind, id
  loop
    if item.side = 'user' and ended in ('refused', 'ignore', 'failed')
       or item.moved_to = 'initial' and item.moved_from in ('success', 'refused', 'ignore', 'failed') then
      number := number + 1;
      ended := null;
      update llm_runs set attempt = number where lead_id = lead and created_at >= item.at;
    end if;
    if item.moves then ended := item.moved_to; end if;
    if item.attempt <> number then
      if item.kind = 0 then update lead_events set attempt = number where id = item.id;
      else update messages set attempt = number where id = item.id;
      end if;
    end if;
  end loop;
  update leads set attempt = number where id = lead and attempt <> number;
end $$;
