-- Keys of models changed: outreach that a model could not write is planned again.
create or replace function reevaluate_after_llm_key() returns trigger language plpgsql as $$
begin
  update outreach_products o set replan = true
    from products p
   where p.company_id = case when tg_op = 'DELETE' then old.company_id else new.company_id end and o.product_id = p.id;
  return null;
end $$;

create or replace trigger reevaluate after insert or delete or update on company_llms for each row
  execute function reevaluate_after_llm_key();
