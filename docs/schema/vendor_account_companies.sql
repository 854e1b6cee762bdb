create table vendor_account_companies (
  account_id bigint not null,
  company_id bigint not null,
  constraint vendor_account_companies_pkey PRIMARY KEY (account_id, company_id),
  constraint vendor_account_companies_account_id_fkey FOREIGN KEY (account_id) REFERENCES vendor_accounts(id) ON DELETE CASCADE,
  constraint vendor_account_companies_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE
);

-- companies: delete a company with its shares of accounts
CREATE INDEX vendor_account_companies_company ON vendor_account_companies USING btree (company_id);
