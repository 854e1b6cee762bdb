-- Alerts: one for each time a dialogue comes to need people, until it does not any more, and what each browser was sent
-- about it. All times are of the real clock, but for `due_at`.
create table attention_alerts (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  dialogue_id bigint not null,
  -- Whom it is for; null: everybody who may see the product.
  assignee_id bigint,
  started_at timestamptz(3) not null default clock_timestamp(),
  ended_at timestamptz(3),
  -- When pushes were planned for it as it is now.
  planned_at timestamptz(3)
);
create unique index attention_alerts_open on attention_alerts (dialogue_id) where ended_at is null;
comment on index attention_alerts_open is 'Rule: one alert for each wait; desk: the open alert of a dialogue';
create index attention_alerts_open_product on attention_alerts (product_id, id) where ended_at is null;
comment on index attention_alerts_open_product is 'desk: the open alerts of products, newest first';
create index attention_alerts_unplanned on attention_alerts (id) where planned_at is null;
comment on index attention_alerts_unplanned is 'desk: alerts that pushes are to be planned for';
create index attention_alerts_ended on attention_alerts (ended_at) where ended_at is not null;
comment on index attention_alerts_ended is 'desk: alerts that ended long ago';

create table operator_alert_settings (
  operator_id bigint primary key references operators (id) on delete cascade,
  sound boolean not null default false,
  notifications boolean not null default false,
  message_text boolean not null default false,
  -- Minutes of the day are written as HH:MM, in the time zone; none: no quiet hours.
  quiet_from text,
  quiet_to text,
  quiet_timezone text,
  constraint operator_alert_settings_quiet check (
    (quiet_from is null) = (quiet_to is null) and (quiet_from is null) = (quiet_timezone is null) and quiet_from <> quiet_to)
);

-- Browsers that push services deliver to. A subscription belongs to a session and ends with it.
create table push_subscriptions (
  endpoint_hash bytea primary key,
  operator_id bigint not null references operators (id) on delete cascade,
  session_id bigint not null references sessions (id) on delete cascade,
  -- Address and keys: who has them can write to the browser.
  subscription_sealed text not null,
  -- Of its push service, which works for itself.
  host text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  last_error text,
  last_error_at timestamptz(3)
);
create unique index push_subscriptions_session on push_subscriptions (session_id);
comment on index push_subscriptions_session is 'Rule: a browser has one subscription; access: end it with the session';
create index push_subscriptions_operator on push_subscriptions (operator_id);
comment on index push_subscriptions_operator is 'desk: the browsers of an operator';

-- What one browser is sent about one alert.
create table alert_pushes (
  id bigint generated always as identity primary key,
  alert_id bigint not null references attention_alerts (id) on delete cascade,
  endpoint_hash bytea not null references push_subscriptions (endpoint_hash) on delete cascade,
  state text not null default 'pending' check (state = any (array['pending', 'shown', 'withdrawing', 'withdrawn', 'skipped', 'failed'])),
  attempts int not null default 0,
  -- Domain clock: the end of the operator's quiet hours.
  due_at timestamptz(3) not null default domain_now(),
  retry_at timestamptz(3),
  error text,
  claimed_by uuid,
  claimed_until timestamptz(3),
  unique (alert_id, endpoint_hash),
  constraint alert_pushes_claim_ends check ((claimed_by is null) = (claimed_until is null))
);
create index alert_pushes_due on alert_pushes (due_at) where state in ('pending', 'withdrawing');
comment on index alert_pushes_due is 'desk: pushes that are due';
create index alert_pushes_subscription on alert_pushes (endpoint_hash);
comment on index alert_pushes_subscription is 'desk: pushes to a browser; delete them with its subscription';

-- The key pair that push services know this installation by.
alter table installation add column vapid_public_key text, add column vapid_private_key_sealed text,
  add constraint installation_vapid_keys check ((vapid_public_key is null) = (vapid_private_key_sealed is null));
