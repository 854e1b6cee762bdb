-- Whether the bot's replies keep the product's working hours. First messages and follow-ups always do.
alter table products
  add column reply_hours text not null default 'working' check (reply_hours in ('working', 'any'));

-- Replies that wait for the opening are due again when the setting changes.
drop trigger outreach_of_product on products;
create trigger outreach_of_product after update on products for each row
  when (old.config is distinct from new.config or old.is_active is distinct from new.is_active
        or old.reply_hours is distinct from new.reply_hours)
  execute function outreach_of_product();
