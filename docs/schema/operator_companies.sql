create table operator_companies (
  operator_id bigint not null,
  company_id bigint not null,
  constraint operator_companies_pkey PRIMARY KEY (operator_id, company_id),
  constraint operator_companies_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint operator_companies_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);

-- companies: the members of a company
CREATE INDEX operator_companies_company ON operator_companies USING btree (company_id);

-- migrations/functions/notify_access_changed.sql
CREATE TRIGGER notify_access_changed AFTER INSERT OR DELETE OR UPDATE ON operator_companies FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
