-- A claim holds while `claimed_until` lies ahead and its instance lives.
alter table messages add column claimed_until timestamptz(3);
alter table dialogues add column claimed_until timestamptz(3), drop column claimed_at;
alter table classifications add column claimed_until timestamptz(3), drop column claimed_at;
alter table amocrm_accounts add column claimed_until timestamptz(3), drop column claimed_at;
alter table crm_changes add column claimed_until timestamptz(3), drop column claimed_at;
alter table crm_cards add column claimed_until timestamptz(3), drop column claimed_at;
alter table outreach add column claimed_until timestamptz(3);
alter table outreach_products add column claimed_until timestamptz(3);

-- Work that goes on in an instance of the version before.
update messages set claimed_until = clock_timestamp() + interval '16 seconds' where status = 'sending';
update dialogues set claimed_until = clock_timestamp() + interval '16 seconds' where claimed_by is not null;
update classifications set claimed_until = clock_timestamp() + interval '16 seconds' where claimed_by is not null;
update amocrm_accounts set claimed_until = clock_timestamp() + interval '16 seconds' where claimed_by is not null;
update crm_changes set claimed_until = clock_timestamp() + interval '16 seconds' where claimed_by is not null;
update crm_cards set claimed_until = clock_timestamp() + interval '16 seconds' where claimed_by is not null;
-- A claimed lead stays due, so that it is evaluated once its claim has ended.
update outreach set claimed_until = clock_timestamp() + interval '16 seconds', next_at = domain_now() where claimed_by is not null;
update outreach_products set claimed_until = clock_timestamp() + interval '16 seconds' where claimed_by is not null;
update amocrm_accounts set refresh_claimed_by = null, refresh_claimed_until = null
 where (refresh_claimed_by is null) <> (refresh_claimed_until is null);

alter table messages add constraint messages_claim_ends check ((claimed_by is null) = (claimed_until is null));
alter table dialogues add constraint dialogues_claim_ends check ((claimed_by is null) = (claimed_until is null));
alter table classifications add constraint classifications_claim_ends check ((claimed_by is null) = (claimed_until is null));
alter table amocrm_accounts
  add constraint amocrm_accounts_claim_ends check ((claimed_by is null) = (claimed_until is null)),
  add constraint amocrm_accounts_refresh_claim_ends check ((refresh_claimed_by is null) = (refresh_claimed_until is null));
alter table crm_changes add constraint crm_changes_claim_ends check ((claimed_by is null) = (claimed_until is null));
alter table crm_cards add constraint crm_cards_claim_ends check ((claimed_by is null) = (claimed_until is null));
alter table outreach add constraint outreach_claim_ends check ((claimed_by is null) = (claimed_until is null));
alter table outreach_products add constraint outreach_products_claim_ends check ((claimed_by is null) = (claimed_until is null));
drop index outreach_claimed;
