-- A vendor that takes one message a minute, tells little by itself, and does not recognise a repeat.

alter table vendor_accounts
  -- Domain clock: nothing of the account leaves before. Null: the vendor's pace is not a matter of minutes.
  add column next_send_at timestamptz(3),
  -- Real clock: when the account's sessions were last asked for; null: they are to be asked for now.
  add column read_at timestamptz(3);

-- The picture to pair with, as the vendor last sent it; gone once the session stands.
alter table channels add column qr text;

-- Real clock: when the vendor is to be asked what became of it. Null: it tells by itself, or there is nothing more to learn.
alter table messages add column status_due_at timestamptz(3);
create index messages_status_due on messages (status_due_at) where status_due_at is not null;
-- A message whose vendor id was lost is found by the key that we gave it.
create index messages_send_key on messages (send_key) where ext_id is null and status in ('sending', 'unconfirmed');
