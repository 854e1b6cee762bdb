-- Whose conversation a run belongs to: what a lead costs includes documents that no dialogue asked for. No foreign key,
-- as with the dialogue: a run that ends after its lead was deleted is counted all the same.
alter table llm_runs add column lead_id bigint;
update llm_runs r set lead_id = c.lead_id
  from dialogues d join contacts c on c.id = d.contact_id where d.id = r.dialogue_id;

-- What a message, a dialogue, a lead cost is added up in the index alone.
drop index llm_runs_message;
drop index llm_runs_dialogue;
create index llm_runs_message on llm_runs (message_id) include (cost) where message_id is not null;
create index llm_runs_dialogue on llm_runs (dialogue_id) include (cost, token_input_usage, token_output_usage)
  where dialogue_id is not null;
create index llm_runs_lead on llm_runs (lead_id) include (cost, token_input_usage, token_output_usage)
  where lead_id is not null;
-- Those that wait for a price.
create index llm_runs_unpriced on llm_runs (created_at) where cost is null and token_input_usage is not null;

-- What a company spent on a UTC day, and on what. One row for each thing it was spent on, so that a month is some
-- hundred rows however many runs it had. Stays when runs go with a deleted lead, and when the product goes.
create table llm_spending_by (
  company_id bigint not null references companies on delete cascade,
  day date not null,
  product_id bigint not null,
  purpose text not null,
  vendor text not null,
  model text not null,
  runs bigint not null default 0,
  -- Runs with tokens and no known price: what they cost is not in `cost`.
  unpriced bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost numeric(14, 8) not null default 0,
  primary key (company_id, day, product_id, purpose, vendor, model)
);
insert into llm_spending_by
select p.company_id, (r.created_at at time zone 'UTC')::date, r.product_id, r.purpose, r.model_vendor, r.model_name,
       count(*), count(*) filter (where r.cost is null and r.token_input_usage is not null),
       coalesce(sum(r.token_input_usage), 0), coalesce(sum(r.token_output_usage), 0), coalesce(sum(r.cost), 0)
  from llm_runs r join products p on p.id = r.product_id
 group by 1, 2, 3, 4, 5, 6;
-- What was spent by runs that are gone: nobody knows on what.
insert into llm_spending_by (company_id, day, product_id, purpose, vendor, model, cost)
select s.company_id, s.day, 0, 'gone', '', '', s.cost - coalesce(k.cost, 0)
  from llm_spending s
  left join (select company_id, day, sum(cost) as cost from llm_spending_by group by 1, 2) k using (company_id, day)
 where s.cost > coalesce(k.cost, 0);
drop table llm_spending;
alter table llm_spending_by rename to llm_spending;
alter index llm_spending_by_pkey rename to llm_spending_pkey;
alter table llm_spending rename constraint llm_spending_by_company_id_fkey to llm_spending_company_id_fkey;
