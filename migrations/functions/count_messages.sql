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
      -- A recount that goes on locks its rows, and may not see these messages: what it has stored is compared, not what it
      -- found.
      with f as (
        select c.lead_id, m.attempt, min(coalesce(m.sent_confirmation_at, m.sent_at, m.created_at)) as delivered_at,
               min(coalesce(m.read_at, m.sent_at, m.created_at)) filter (where m.status = 'read') as read_at
          from messages m join contacts c on c.id = m.contact_id where m.id = any(risen) group by 1, 2
      ), latest as materialized (
        select o.id, f.delivered_at, f.read_at, o.delivered_at as old_delivered_at, o.read_at as old_read_at
          from outcomes o join f on f.lead_id = o.lead_id and f.attempt = o.attempt order by o.lead_id, o.attempt for key share of o
      )
      update outcomes o set delivered_at = least(o.delivered_at, l.delivered_at), read_at = least(o.read_at, l.read_at)
        from latest l
       where o.id = l.id
         and (l.old_delivered_at is null or l.delivered_at < l.old_delivered_at
              or l.read_at is not null and (l.old_read_at is null or l.read_at < l.old_read_at));
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
