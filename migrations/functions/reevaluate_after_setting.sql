-- A setting of a product's outreach changed: the outreach of its leads is planned again.
create or replace function reevaluate_after_setting() returns trigger language plpgsql as $$
begin
  update outreach_products set replan = true
   where product_id = case when tg_op = 'DELETE' then old.product_id else new.product_id end;
  return null;
end $$;

create or replace trigger reevaluate after insert or delete or update on ping_configs for each row
  execute function reevaluate_after_setting();

create or replace trigger reevaluate after update on prepared_messages for each row
  execute function reevaluate_after_setting();

create or replace trigger reevaluate after insert or delete or update on product_channels for each row
  execute function reevaluate_after_setting();

create or replace trigger reevaluate after update on prompts for each row execute function reevaluate_after_setting();

create or replace trigger reevaluate after insert or delete or update on schedules for each row
  execute function reevaluate_after_setting();
