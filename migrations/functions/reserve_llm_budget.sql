-- Reserves the next request of a call of a model: what the call has used so far, and what the request may cost at most.
-- Refuses it once what was spent today and what is reserved reach the company's budget, so that the last request that is
-- allowed exceeds the budget by its own estimate at most. A model whose calls have cost more than their estimates this week
-- is expected to do so again.
-- outcome: reserved; busy (others may still cost less than they reserved); spent; unlimited (there is no budget any more).
create or replace function reserve_llm_budget(
  reservation bigint, company bigint, product bigint, model_vendor text, model_name text, used numeric, estimate numeric,
  instance uuid, lease_seconds float8
) returns table (id bigint, outcome text, daily_budget numeric) language plpgsql as $$
declare
  today date := (domain_now() at time zone 'UTC')::date;
  held_until timestamptz := clock_timestamp() + make_interval(secs => lease_seconds);
  expected numeric;
  spent numeric;
  reserved numeric;
begin
  expected := greatest(estimate, (
    select sum(s.cost) / nullif(sum(s.runs), 0) from llm_spending s
     where s.company_id = company and s.day > today - 7 and s.purpose <> 'lost' and s.vendor = model_vendor and s.model = model_name));
  -- One after another: each statement below sees all that was reserved and settled before.
  select c.llm_daily_budget into daily_budget from companies c where c.id = company for no key update;
  select coalesce(sum(s.cost), 0) into spent from llm_spending s where s.company_id = company and s.day = today;
  select coalesce(sum(r.amount), 0) into reserved
    from llm_reservations r where r.company_id = company and not r.is_lost and r.id is distinct from reservation;
  outcome := case when daily_budget is null then 'unlimited'
                  when spent + used >= daily_budget then 'spent'
                  when spent + reserved + used >= daily_budget then 'busy'
                  else 'reserved' end;
  if outcome <> 'reserved' then expected := 0; end if;
  update llm_reservations r set amount = used + expected, claimed_by = instance, claimed_until = held_until
   where r.id = reservation and not r.is_lost returning r.id into id;
  if id is null and outcome = 'reserved' then
    insert into llm_reservations as r (company_id, product_id, vendor, model, amount, claimed_by, claimed_until)
    values (company, product, model_vendor, model_name, used + expected, instance, held_until) returning r.id into id;
  end if;
  return next;
end $$;
