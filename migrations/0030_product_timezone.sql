-- The time zone of a product: days of its limits, 'Send at', charts and date filters are read in it.
alter table products
  add column timezone text not null default 'UTC',
  -- Set where the zone was changed: until it is over, the limit of first messages counts this span as one day.
  add column long_day_from timestamptz(3),
  add column long_day_until timestamptz(3),
  add constraint products_long_day check ((long_day_from is null) = (long_day_until is null));

-- First messages are counted by when their quota was taken; a day has other ends in another zone.
drop index first_slots_channel;
create index first_slots_channel on first_slots (channel_id, taken_at);
create index first_slots_taken on first_slots (product_id, taken_at);

-- Beside the trigger for the other settings.
create trigger outreach_of_product_zone after update on products for each row
  when (old.timezone is distinct from new.timezone) execute function outreach_of_product();
