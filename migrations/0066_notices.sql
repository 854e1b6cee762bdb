-- Alerts that are about no dialogue: something has happened to a product that its operators want to know.
alter table attention_alerts
  alter column dialogue_id drop not null,
  -- Title, text and address within the console.
  add column notice jsonb,
  -- What it is about: raised once, and ended by it.
  add column notice_key text,
  add constraint attention_alerts_about check (num_nonnulls(dialogue_id, notice) = 1 and (notice is null) = (notice_key is null));
create unique index attention_alerts_notice on attention_alerts (notice_key) where notice_key is not null;
comment on index attention_alerts_notice is 'Rule: one alert for each notice; desk: end it, find old ones';
