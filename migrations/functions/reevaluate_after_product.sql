-- A product's settings changed: the outreach of its leads is planned again.
create or replace function reevaluate_after_product() returns trigger language plpgsql as $$
begin
  insert into outreach_products (product_id, replan) values (new.id, tg_op = 'UPDATE')
  on conflict (product_id) do update set replan = true;
  return null;
end $$;

create or replace trigger reevaluate after update on products for each row
  when (old.config is distinct from new.config or old.is_active is distinct from new.is_active
    or old.reply_hours is distinct from new.reply_hours
    or old.outreach_paused_at is distinct from new.outreach_paused_at)
  execute function reevaluate_after_product();

create or replace trigger reevaluate_new after insert on products for each row
  execute function reevaluate_after_product();

create or replace trigger reevaluate_zone after update on products for each row
  when (old.timezone is distinct from new.timezone)
  execute function reevaluate_after_product();
