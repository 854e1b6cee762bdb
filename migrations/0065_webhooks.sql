-- Outgoing webhooks: what other systems are sent when something happens. An event is stored for each webhook that wants it in
-- the transaction of its change, and delivered at least once.
create table webhooks (
  id bigint generated always as identity primary key,
  company_id bigint not null references companies (id) on delete cascade,
  -- The product whose events it wants; null: all products of the company, as they are when something happens.
  only_product_id bigint,
  url text not null,
  -- Names of the events that it wants.
  events jsonb not null,
  -- Signs the deliveries.
  secret_sealed text not null,
  secret_mask text not null,
  is_active boolean not null default true,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  -- A webhook of a product goes with it, and never becomes one of the whole company.
  foreign key (only_product_id, company_id) references products (id, company_id) on delete cascade,
  unique (id, company_id)
);
create index webhooks_company on webhooks (company_id, id);
comment on index webhooks_company is 'webhooks: list a company''s webhooks; find those that want an event';
create index webhooks_product on webhooks (only_product_id) where only_product_id is not null;
comment on index webhooks_product is 'products: delete a product with its webhooks';
create trigger revision before update on webhooks for each row
  when ((old.url, old.events, old.secret_sealed, old.is_active) is distinct from (new.url, new.events, new.secret_sealed, new.is_active))
  execute function increment_revision();

-- What one webhook is sent about one event. retry_at, expires_at and settled_at are of the real clock.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  webhook_id bigint not null,
  company_id bigint not null,
  -- The product that the event is of; null: a test of a webhook for all products.
  product_id bigint,
  event text not null,
  -- The receiver tells repetitions by it: the same for all webhooks that want the event, and for each attempt.
  event_id uuid not null,
  -- What the event is of: made once.
  event_key text not null,
  payload jsonb not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz(3) not null default domain_now(),
  last_attempt_at timestamptz(3),
  -- The next attempt; null: at once.
  retry_at timestamptz(3),
  -- The last attempt is made then.
  expires_at timestamptz(3) not null default clock_timestamp() + interval '3 days',
  settled_at timestamptz(3),
  -- HTTP status of the last answer, and why it did not count as received.
  response_status integer,
  error text,
  claimed_by uuid,
  claimed_until timestamptz(3),
  unique (webhook_id, event_key),
  foreign key (webhook_id, company_id) references webhooks (id, company_id) on delete cascade,
  foreign key (product_id, company_id) references products (id, company_id) on delete cascade,
  constraint webhook_deliveries_settled check ((state = 'pending') = (settled_at is null)),
  constraint webhook_deliveries_claim_ends check ((claimed_by is null) = (claimed_until is null))
);
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, id);
comment on index webhook_deliveries_webhook is 'webhooks: list a webhook''s deliveries; its last one';
create index webhook_deliveries_product on webhook_deliveries (product_id) where product_id is not null;
comment on index webhook_deliveries_product is 'products: delete a product with what was sent about it';
create index webhook_deliveries_due on webhook_deliveries (retry_at) where state = 'pending';
comment on index webhook_deliveries_due is 'webhooks: deliveries that are due';
create index webhook_deliveries_settled on webhook_deliveries (settled_at) where settled_at is not null;
comment on index webhook_deliveries_settled is 'webhooks: deliveries that were settled long ago';

-- The weeks of products whose report was made. A row is written once, with the event of the report.
create table weekly_reports (
  product_id bigint not null references products (id) on delete cascade,
  -- The Monday after the week of the report.
  week date not null,
  event_id uuid not null,
  created_at timestamptz(3) not null default domain_now(),
  primary key (product_id, week)
);
