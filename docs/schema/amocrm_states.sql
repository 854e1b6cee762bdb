create table amocrm_states (
  state_hash bytea not null,
  session_hash bytea not null,
  company_id bigint not null,
  flow text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  secrets_at timestamptz(3),
  client_id text,
  client_secret_sealed text,
  completed_at timestamptz(3),
  constraint amocrm_states_pkey PRIMARY KEY (state_hash),
  constraint amocrm_states_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint amocrm_states_flow_check CHECK (flow = ANY (ARRAY['ordinary'::text, 'external'::text]))
);

-- crm: delete sign-ins at amoCRM that were never completed
CREATE INDEX amocrm_states_created ON amocrm_states USING btree (created_at);
