-- Counts the follow-ups of leads from their messages: when each was sent, whether the lead answered or opted out before the
-- next one.
create or replace function follow_up_facts(leads bigint[]) returns table (
  message_id bigint, lead_id bigint, attempt smallint, product_id bigint, ping_config_id bigint, step integer,
  sent_at timestamptz, answered_at timestamptz, opted_out boolean, prepared_message_id bigint
) language sql stable as $$
  with exchanged as materialized (
    select c.lead_id, m.*, coalesce(m.sent_at, m.created_at) as at
      from contacts c join dialogues d on d.contact_id = c.id join messages m on m.dialogue_id = d.id
     where c.lead_id = any(leads) and is_exchanged(m.side, m.kind, m.status)
  ), steps as (
    select e.*, lead(at) over next as next_at, lead(id) over next as next_id from exchanged e
     where ping_step_number is not null window next as (partition by e.lead_id, e.attempt order by at, id)
  )
  select s.id, s.lead_id, s.attempt, s.product_id, s.ping_config_id, s.ping_step_number, s.at,
         (select min(e.at) from exchanged e
           where e.lead_id = s.lead_id and e.attempt = s.attempt and e.side = 'user' and (e.at, e.id) > (s.at, s.id)
             and (s.next_id is null or (e.at, e.id) < (s.next_at, s.next_id))),
         exists (select from lead_events v
                  where v.lead_id = s.lead_id and v.attempt = s.attempt and v.event_type = 'deactivated'
                    and is_opt_out(v.event_data) and v.created_at >= s.at and (s.next_at is null or v.created_at < s.next_at)),
         s.prepared_message_id
    from steps s
$$;
