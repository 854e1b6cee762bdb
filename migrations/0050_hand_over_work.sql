-- The work after a hand-over: its summary and its writes to the CRM are claimed separately, so that a model that hangs
-- delays neither note nor task for longer than `summary_wait_until`.
alter table hand_overs
  add column summary_attempts int not null default 0,
  add column summary_retry_at timestamptz(3),
  add column summary_failed_at timestamptz(3),
  add column summary_error text,
  add column summary_claimed_by uuid,
  add column summary_claimed_until timestamptz(3),
  -- Real clock: until then note and task wait for the summary.
  add column summary_wait_until timestamptz(3) not null default clock_timestamp() + interval '60 seconds',
  -- Real clock, stored before the call leaves: the note or task may have been created since.
  add column note_attempted_at timestamptz(3),
  add column task_attempted_at timestamptz(3),
  add constraint hand_overs_summary_claim_ends check ((summary_claimed_by is null) = (summary_claimed_until is null));

create index hand_overs_summary_due on hand_overs (summary_retry_at) where summary_state = 'pending';
comment on index hand_overs_summary_due is 'conversations: summaries that are due';
create index hand_overs_crm_due on hand_overs (retry_at) where crm_state = 'pending';
comment on index hand_overs_crm_due is 'crm: hand-overs whose note or task is due';
create index hand_overs_lead on hand_overs (lead_id);
comment on index hand_overs_lead is 'leads: hand-overs that are deleted with a lead';
create index hand_overs_crm_failed on hand_overs (product_id, lead_id) where crm_state = 'failed';
comment on index hand_overs_crm_failed is 'crm: notes and tasks that an integration refused';
