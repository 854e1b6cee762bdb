-- An item that cannot be worked on: others do not wait for it, and after several tries it is set aside.
alter table inbox
  drop constraint inbox_state_check,
  add constraint inbox_state_check check (state in ('new', 'held', 'failed', 'done')),
  -- In vain, since it came or was kept for its message.
  add column tries int not null default 0,
  -- Real clock: pause after a try in vain.
  add column retry_at timestamptz(3);
