-- What a model server refuses by name, and what the last test of a key has shown.
alter table company_llms
  add column refused jsonb not null default '{}',
  add column tested_at timestamptz(3),
  add column test jsonb,
  add constraint company_llms_test check ((tested_at is null) = (test is null));
comment on column company_llms.refused is 'By model and parameter, in the words of the server; these are left out of requests';
comment on column company_llms.test is 'The result of the last test: ok, reason, model and parts; null: not tested with this key and address';
