create table channel_companies (
  channel_id bigint not null,
  company_id bigint not null,
  constraint channel_companies_pkey PRIMARY KEY (channel_id, company_id),
  constraint channel_companies_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id) ON DELETE CASCADE,
  constraint channel_companies_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE
);

-- companies: delete a company with its shares of channels
CREATE INDEX channel_companies_company ON channel_companies USING btree (company_id);
