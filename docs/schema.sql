-- The schema that the migrations come to. Generated: npm run schema. Nothing reads it but people; a test compares.

create table amocrm_accounts (
  crm_integration_id bigint not null,
  account_id bigint not null,
  account_name text not null,
  host text not null,
  client_id text not null,
  client_secret_sealed text,
  redirect_uri text not null,
  access_token_sealed text,
  refresh_token_sealed text,
  access_expires_at timestamp(3) with time zone,
  refreshed_at timestamp(3) with time zone,
  token_version integer not null default 0,
  refresh_claimed_by uuid,
  refresh_claimed_until timestamp(3) with time zone,
  state text not null default 'connected'::text,
  state_reason text,
  state_since timestamp(3) with time zone not null default clock_timestamp(),
  disconnect_requested_at timestamp(3) with time zone,
  hook_secret_hash bytea not null,
  hook_secret_sealed text not null,
  hooks text not null default 'unknown'::text,
  hooks_reason text,
  next_sync_at timestamp(3) with time zone not null default clock_timestamp(),
  claimed_by uuid,
  claimed_at timestamp(3) with time zone,
  hooks_checked_at timestamp(3) with time zone,
  polled_at timestamp(3) with time zone,
  polled_until bigint not null default 0,
  full_sync_requested integer not null default 1,
  full_sync_done integer not null default 0,
  attempts integer not null default 0,
  last_sync_at timestamp(3) with time zone,
  last_sync jsonb not null default '{}'::jsonb,
  last_error text,
  last_error_at timestamp(3) with time zone,
  directory jsonb,
  directory_read_at timestamp(3) with time zone,
  constraint amocrm_accounts_pkey PRIMARY KEY (crm_integration_id),
  constraint amocrm_accounts_hook_secret_hash_key UNIQUE (hook_secret_hash),
  constraint amocrm_accounts_crm_integration_id_fkey FOREIGN KEY (crm_integration_id) REFERENCES crm_integrations(id) ON DELETE CASCADE,
  constraint amocrm_accounts_hooks_check CHECK ((hooks = ANY (ARRAY['unknown'::text, 'subscribed'::text, 'unavailable'::text]))),
  constraint amocrm_accounts_state_check CHECK ((state = ANY (ARRAY['connected'::text, 'reconnect'::text, 'disconnected'::text])))
);
CREATE INDEX amocrm_accounts_account ON amocrm_accounts USING btree (account_id, client_id);
CREATE INDEX amocrm_accounts_due ON amocrm_accounts USING btree (next_sync_at) WHERE (state <> 'disconnected'::text);

create table amocrm_states (
  state_hash bytea not null,
  session_hash bytea not null,
  company_id bigint not null,
  flow text not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  secrets_at timestamp(3) with time zone,
  client_id text,
  client_secret_sealed text,
  completed_at timestamp(3) with time zone,
  constraint amocrm_states_pkey PRIMARY KEY (state_hash),
  constraint amocrm_states_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint amocrm_states_flow_check CHECK ((flow = ANY (ARRAY['ordinary'::text, 'external'::text])))
);
CREATE INDEX amocrm_states_created ON amocrm_states USING btree (created_at);

create table assistant_calls (
  call_id uuid not null,
  question_id bigint not null,
  index integer not null,
  model_call_id text not null,
  tool text not null,
  arguments json not null,
  confirm boolean not null,
  confirmed_at timestamp(3) with time zone,
  answered_at timestamp(3) with time zone,
  result json,
  constraint assistant_calls_pkey PRIMARY KEY (call_id),
  constraint assistant_calls_question_id_index_key UNIQUE (question_id, index),
  constraint assistant_calls_question_id_fkey FOREIGN KEY (question_id) REFERENCES assistant_questions(id) ON DELETE CASCADE
);

create table assistant_questions (
  id bigint not null generated always as identity,
  operator_id bigint not null,
  product_id bigint not null,
  chat_id text not null,
  state json not null,
  asked_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint assistant_questions_pkey PRIMARY KEY (id),
  constraint assistant_questions_operator_id_chat_id_key UNIQUE (operator_id, chat_id),
  constraint assistant_questions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE,
  constraint assistant_questions_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);
CREATE INDEX assistant_questions_asked ON assistant_questions USING btree (asked_at);
CREATE INDEX assistant_questions_product ON assistant_questions USING btree (product_id);

create table audit (
  id bigint not null generated always as identity,
  at timestamp(3) with time zone not null default domain_now(),
  operator_id bigint,
  operator text,
  action text not null,
  noun text not null,
  row_id bigint,
  product_id bigint,
  company_id bigint,
  before jsonb,
  after jsonb,
  request_id text,
  constraint audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_action ON audit USING btree (action, id);
CREATE INDEX audit_company ON audit USING btree (company_id, id) WHERE (company_id IS NOT NULL);
CREATE INDEX audit_dialogue ON audit USING btree (((COALESCE(after, before) ->> 'dialogue_id'::text))) WHERE (COALESCE(after, before) ? 'dialogue_id'::text);
CREATE INDEX audit_lead ON audit USING btree (((COALESCE(after, before) ->> 'lead_id'::text))) WHERE (COALESCE(after, before) ? 'lead_id'::text);
CREATE INDEX audit_operator ON audit USING btree (operator_id, id) WHERE (operator_id IS NOT NULL);
CREATE INDEX audit_product ON audit USING btree (product_id, id) WHERE (product_id IS NOT NULL);
CREATE INDEX audit_recent ON audit USING brin (at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX audit_request ON audit USING btree (request_id) WHERE (request_id IS NOT NULL);
CREATE INDEX audit_row ON audit USING btree (noun, row_id, id);
CREATE INDEX audit_search ON audit USING gin (((to_tsvector('simple'::regconfig, COALESCE(before, '{}'::jsonb)) || to_tsvector('simple'::regconfig, COALESCE(after, '{}'::jsonb)))));

create table channel_companies (
  channel_id bigint not null,
  company_id bigint not null,
  constraint channel_companies_pkey PRIMARY KEY (channel_id, company_id),
  constraint channel_companies_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id) ON DELETE CASCADE,
  constraint channel_companies_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE
);
CREATE INDEX channel_companies_company ON channel_companies USING btree (company_id);

create table channels (
  id bigint not null generated always as identity,
  account_id bigint not null,
  name text not null,
  number text,
  vendor text not null,
  channel_type text not null,
  vendor_ref text not null,
  config jsonb not null default '{}'::jsonb,
  is_active boolean not null default true,
  is_session_active boolean not null default false,
  state text,
  paused_until timestamp(3) with time zone,
  pause_reason text,
  created_at timestamp(3) with time zone not null default domain_now(),
  first_messages_stopped_at timestamp(3) with time zone,
  first_messages_stopped_reason text,
  first_messages_resumed_at timestamp(3) with time zone,
  qr text,
  revision integer not null default 1,
  company_id bigint,
  constraint channels_pkey PRIMARY KEY (id),
  constraint channels_account_id_vendor_ref_key UNIQUE (account_id, vendor_ref),
  constraint channels_account_id_company_id_fkey FOREIGN KEY (account_id, company_id) REFERENCES vendor_account_companies(account_id, company_id),
  constraint channels_account_id_fkey FOREIGN KEY (account_id) REFERENCES vendor_accounts(id),
  constraint channels_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint channels_id_company_id_fkey FOREIGN KEY (id, company_id) REFERENCES channel_companies(channel_id, company_id) DEFERRABLE INITIALLY DEFERRED,
  constraint channels_channel_type_check CHECK ((channel_type = ANY (ARRAY['telegram'::text, 'whatsapp'::text]))),
  constraint channels_name_check CHECK ((btrim(name) <> ''::text)),
  constraint channels_vendor_check CHECK ((vendor = ANY (ARRAY['wazzup24'::text, 'chatpush'::text])))
);

create table classification_configs (
  id bigint not null generated always as identity,
  product_id bigint not null,
  config jsonb not null,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint classification_configs_pkey PRIMARY KEY (id),
  constraint classification_configs_id_product_id_key UNIQUE (id, product_id),
  constraint classification_configs_product_id_key UNIQUE (product_id),
  constraint classification_configs_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

create table classification_results (
  id bigint not null generated always as identity,
  product_id bigint not null,
  dialogue_id bigint not null,
  config_id bigint,
  result jsonb not null,
  created_at timestamp(3) with time zone not null default domain_now(),
  turn integer,
  constraint classification_results_pkey PRIMARY KEY (id),
  constraint classification_results_config_id_product_id_fkey FOREIGN KEY (config_id, product_id) REFERENCES classification_configs(id, product_id) ON DELETE SET NULL (config_id),
  constraint classification_results_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE
);
CREATE INDEX classification_results_config ON classification_results USING btree (config_id, id);
CREATE INDEX classification_results_dialogue ON classification_results USING btree (dialogue_id, id);
CREATE INDEX classification_results_product ON classification_results USING btree (product_id, id);
CREATE UNIQUE INDEX classification_results_turn ON classification_results USING btree (dialogue_id, turn) WHERE (turn IS NOT NULL);

create table classifications (
  id bigint not null generated always as identity,
  product_id bigint not null,
  dialogue_id bigint not null,
  turn integer not null,
  state text not null default 'open'::text,
  note text,
  due_at timestamp(3) with time zone not null default domain_now(),
  attempts integer not null default 0,
  retry_at timestamp(3) with time zone,
  failed_at timestamp(3) with time zone,
  claimed_by uuid,
  claimed_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null default domain_now(),
  settled_at timestamp(3) with time zone,
  constraint classifications_pkey PRIMARY KEY (id),
  constraint classifications_dialogue_id_turn_key UNIQUE (dialogue_id, turn),
  constraint classifications_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint classifications_state_check CHECK ((state = ANY (ARRAY['open'::text, 'done'::text, 'void'::text, 'failed'::text])))
);
CREATE INDEX classifications_due ON classifications USING btree (due_at) WHERE (state = 'open'::text);
CREATE INDEX classifications_failed ON classifications USING btree (product_id, dialogue_id, turn) WHERE (state = 'failed'::text);

create table companies (
  id bigint not null generated always as identity,
  name text not null,
  created_at timestamp(3) with time zone not null default domain_now(),
  llm_daily_budget numeric(12,2),
  revision integer not null default 1,
  constraint companies_pkey PRIMARY KEY (id),
  constraint companies_llm_daily_budget_check CHECK ((llm_daily_budget >= (0)::numeric)),
  constraint companies_name_check CHECK ((btrim(name) <> ''::text))
);
CREATE INDEX companies_created ON companies USING btree (created_at);

create table company_llms (
  id bigint not null generated always as identity,
  company_id bigint not null,
  vendor text not null,
  api_key_sealed text not null,
  config jsonb not null default '{}'::jsonb,
  is_active boolean not null default true,
  created_at timestamp(3) with time zone not null default domain_now(),
  key_mask text not null default '…'::text,
  worked_at timestamp(3) with time zone,
  revision integer not null default 1,
  constraint company_llms_pkey PRIMARY KEY (id),
  constraint company_llms_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint company_llms_vendor_check CHECK ((vendor = ANY (ARRAY['chatgpt'::text, 'gemini'::text, 'anthropic'::text])))
);
CREATE UNIQUE INDEX company_llms_active ON company_llms USING btree (company_id, vendor) WHERE is_active;
CREATE INDEX company_llms_company ON company_llms USING btree (company_id, id);

create table contacts (
  id bigint not null generated always as identity,
  lead_id bigint not null,
  product_id bigint not null,
  contact text not null,
  contact_type text not null,
  address text not null,
  is_main boolean not null default false,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint contacts_pkey PRIMARY KEY (id),
  constraint contacts_id_product_id_key UNIQUE (id, product_id),
  constraint contacts_lead_id_contact_type_address_key UNIQUE (lead_id, contact_type, address),
  constraint contacts_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint contacts_contact_check CHECK ((btrim(contact) <> ''::text)),
  constraint contacts_contact_type_check CHECK ((contact_type = ANY (ARRAY['telegram'::text, 'whatsapp'::text])))
);
CREATE INDEX contacts_address ON contacts USING btree (address, contact_type);
CREATE UNIQUE INDEX contacts_main ON contacts USING btree (lead_id, contact_type) WHERE is_main;
CREATE INDEX contacts_product ON contacts USING btree (product_id, id);

create table crm_cards (
  product_id bigint not null,
  card_id bigint not null,
  crm_integration_id bigint not null,
  lead_id bigint,
  pipeline_id bigint,
  status_id bigint,
  card_updated_at bigint,
  read_at timestamp(3) with time zone,
  note text,
  pending_stage text,
  pending_stage_version integer not null default 0,
  pending_stage_since timestamp(3) with time zone,
  attempts integer not null default 0,
  retry_at timestamp(3) with time zone,
  error text,
  claimed_by uuid,
  claimed_at timestamp(3) with time zone,
  sent_pipeline_id bigint,
  sent_status_id bigint,
  constraint crm_cards_pkey PRIMARY KEY (product_id, card_id),
  constraint crm_cards_crm_integration_id_fkey FOREIGN KEY (crm_integration_id) REFERENCES crm_integrations(id) ON DELETE CASCADE,
  constraint crm_cards_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE SET NULL (lead_id),
  constraint crm_cards_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint crm_cards_pending_stage_check CHECK ((pending_stage = ANY (ARRAY['initial'::text, 'started'::text, 'ongoing'::text, 'pending'::text, 'refused'::text, 'ignore'::text, 'success'::text, 'failed'::text])))
);
CREATE INDEX crm_cards_integration ON crm_cards USING btree (crm_integration_id, card_id);
CREATE INDEX crm_cards_lead ON crm_cards USING btree (lead_id) WHERE (lead_id IS NOT NULL);
CREATE INDEX crm_cards_pending ON crm_cards USING btree (retry_at) WHERE (pending_stage IS NOT NULL);

create table crm_changes (
  crm_integration_id bigint not null,
  entity text not null,
  entity_id bigint not null,
  hook_count integer not null default 1,
  reported_at timestamp(3) with time zone not null default clock_timestamp(),
  attempts integer not null default 0,
  retry_at timestamp(3) with time zone,
  claimed_by uuid,
  claimed_at timestamp(3) with time zone,
  constraint crm_changes_pkey PRIMARY KEY (crm_integration_id, entity, entity_id),
  constraint crm_changes_crm_integration_id_fkey FOREIGN KEY (crm_integration_id) REFERENCES crm_integrations(id) ON DELETE CASCADE,
  constraint crm_changes_entity_check CHECK ((entity = ANY (ARRAY['card'::text, 'person'::text])))
);
CREATE INDEX crm_changes_due ON crm_changes USING btree (retry_at);

create table crm_integrations (
  id bigint not null generated always as identity,
  company_id bigint not null,
  name text not null,
  crm_type text not null default 'amocrm'::text,
  is_active boolean not null default true,
  created_at timestamp(3) with time zone not null default domain_now(),
  constraint crm_integrations_pkey PRIMARY KEY (id),
  constraint crm_integrations_id_company_id_key UNIQUE (id, company_id),
  constraint crm_integrations_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint crm_integrations_crm_type_check CHECK ((crm_type = 'amocrm'::text)),
  constraint crm_integrations_name_check CHECK ((btrim(name) <> ''::text))
);
CREATE INDEX crm_integrations_company ON crm_integrations USING btree (company_id, id);

create table dialogues (
  id bigint not null generated always as identity,
  product_id bigint not null,
  contact_id bigint not null,
  channel_id bigint not null,
  chat_id text,
  address text not null,
  is_main boolean not null default true,
  last_user_msg_id bigint,
  last_user_msg_at timestamp(3) with time zone,
  last_bot_msg_id bigint,
  last_msg_created_at timestamp(3) with time zone,
  last_message text,
  skip_ping_for_msg_id bigint,
  owner text not null default 'bot'::text,
  owner_reason text,
  owner_since timestamp(3) with time zone,
  turn_due_at timestamp(3) with time zone,
  turn integer not null default 0,
  turn_attempts integer not null default 0,
  turn_retry_at timestamp(3) with time zone,
  turn_failed_at timestamp(3) with time zone,
  no_answer text,
  created_at timestamp(3) with time zone not null default domain_now(),
  claimed_by uuid,
  claimed_at timestamp(3) with time zone,
  classified_turn integer not null default 0,
  revision integer not null default 1,
  no_answer_detail text,
  constraint dialogues_pkey PRIMARY KEY (id),
  constraint dialogues_id_product_id_key UNIQUE (id, product_id),
  constraint dialogues_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id),
  constraint dialogues_contact_id_product_id_fkey FOREIGN KEY (contact_id, product_id) REFERENCES contacts(id, product_id) ON DELETE CASCADE,
  constraint dialogues_no_answer_check CHECK ((no_answer = ANY (ARRAY['no_prompt'::text, 'template'::text, 'budget'::text, 'model'::text]))),
  constraint dialogues_owner_check CHECK ((owner = ANY (ARRAY['bot'::text, 'human'::text])))
);
CREATE UNIQUE INDEX dialogues_address ON dialogues USING btree (channel_id, address);
CREATE INDEX dialogues_channel_product ON dialogues USING btree (channel_id, product_id);
CREATE UNIQUE INDEX dialogues_chat ON dialogues USING btree (channel_id, chat_id);
CREATE INDEX dialogues_contact ON dialogues USING btree (contact_id);
CREATE INDEX dialogues_no_answer ON dialogues USING btree (product_id, id) WHERE (no_answer IS NOT NULL);
CREATE INDEX dialogues_product_recent ON dialogues USING btree (product_id, last_msg_created_at DESC NULLS LAST, id DESC);
CREATE INDEX dialogues_turn_due ON dialogues USING btree (turn_due_at) WHERE (turn_due_at IS NOT NULL);
CREATE INDEX dialogues_unclassified ON dialogues USING btree (product_id, last_user_msg_at) WHERE (turn > classified_turn);

create table document_prompts (
  id bigint not null generated always as identity,
  product_id bigint not null,
  prompt_id bigint not null,
  document_type text not null,
  name text not null,
  type text not null default 'initial'::text,
  config jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint document_prompts_pkey PRIMARY KEY (id),
  constraint document_prompts_id_product_id_key UNIQUE (id, product_id),
  constraint document_prompts_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint document_prompts_prompt_id_product_id_fkey FOREIGN KEY (prompt_id, product_id) REFERENCES prompts(id, product_id),
  constraint document_prompts_document_type_check CHECK ((btrim(document_type) <> ''::text)),
  constraint document_prompts_name_check CHECK ((btrim(name) <> ''::text)),
  constraint document_prompts_type_check CHECK ((type = 'initial'::text))
);
CREATE INDEX document_prompts_product ON document_prompts USING btree (product_id, id);
CREATE INDEX document_prompts_prompt ON document_prompts USING btree (prompt_id);

create table first_message_quota (
  product_id bigint not null,
  channel_type text not null,
  day date not null,
  number integer not null,
  channel_id bigint not null,
  message_id bigint not null,
  taken_at timestamp(3) with time zone not null default domain_now(),
  constraint first_message_quota_pkey PRIMARY KEY (product_id, channel_type, day, number),
  constraint first_message_quota_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id) ON DELETE CASCADE,
  constraint first_message_quota_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint first_message_quota_channel_type_check CHECK ((channel_type = ANY (ARRAY['telegram'::text, 'whatsapp'::text]))),
  constraint first_message_quota_number_check CHECK ((number >= 1))
);
CREATE INDEX first_message_quota_channel ON first_message_quota USING btree (channel_id, taken_at);
CREATE UNIQUE INDEX first_message_quota_message ON first_message_quota USING btree (message_id);
CREATE INDEX first_message_quota_taken ON first_message_quota USING btree (product_id, taken_at);

create table first_messages (
  product_id bigint not null,
  address text not null,
  lead_id bigint not null,
  contact_id bigint not null,
  message_id bigint not null,
  refused boolean not null default false,
  created_at timestamp(3) with time zone not null default domain_now(),
  constraint first_messages_pkey PRIMARY KEY (product_id, address),
  constraint first_messages_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint first_messages_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);
CREATE INDEX first_messages_lead ON first_messages USING btree (lead_id);
CREATE INDEX first_messages_message ON first_messages USING btree (message_id);

create table inbox (
  id bigint not null generated always as identity,
  account_id bigint not null,
  channel_id bigint,
  kind text not null,
  ext_id text not null,
  status text not null,
  chat_id text,
  item jsonb not null,
  received_at timestamp(3) with time zone not null default domain_now(),
  state text not null default 'new'::text,
  parked_until timestamp(3) with time zone,
  note text,
  trace uuid default gen_random_uuid(),
  attempts integer not null default 0,
  retry_at timestamp(3) with time zone,
  constraint inbox_pkey PRIMARY KEY (id),
  constraint inbox_account_id_kind_ext_id_status_key UNIQUE (account_id, kind, ext_id, status),
  constraint inbox_account_id_fkey FOREIGN KEY (account_id) REFERENCES vendor_accounts(id) ON DELETE CASCADE,
  constraint inbox_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id) ON DELETE CASCADE,
  constraint inbox_kind_check CHECK ((kind = ANY (ARRAY['message'::text, 'status'::text, 'channel'::text]))),
  constraint inbox_state_check CHECK ((state = ANY (ARRAY['new'::text, 'parked'::text, 'failed'::text, 'done'::text])))
);
CREATE INDEX inbox_chat_open ON inbox USING btree (channel_id, chat_id) WHERE (state = 'new'::text);
CREATE INDEX inbox_open ON inbox USING btree (state, id) WHERE (state <> 'done'::text);
CREATE INDEX inbox_parked ON inbox USING btree (account_id, ext_id) WHERE (state = 'parked'::text);

create table installation (
  id integer not null default 1,
  mode text,
  clock_offset interval not null default '00:00:00'::interval,
  key_check text,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  second_factor_required boolean not null default false,
  hash_key_sealed text,
  constraint installation_pkey PRIMARY KEY (id),
  constraint installation_id_check CHECK ((id = 1)),
  constraint installation_mode_check CHECK ((mode = ANY (ARRAY['sandbox'::text, 'production'::text])))
);

create table lead_documents (
  id bigint not null generated always as identity,
  lead_id bigint not null,
  product_id bigint not null,
  name text not null,
  type text not null,
  document jsonb not null default '{"text_data": ""}'::jsonb,
  document_url text,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint lead_documents_pkey PRIMARY KEY (id),
  constraint lead_documents_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint lead_documents_name_check CHECK ((btrim(name) <> ''::text)),
  constraint lead_documents_type_check CHECK ((btrim(type) <> ''::text))
);
CREATE INDEX lead_documents_lead ON lead_documents USING btree (lead_id, type, id);
CREATE INDEX lead_documents_product ON lead_documents USING btree (product_id, id);

create table lead_events (
  id bigint not null generated always as identity,
  lead_id bigint not null,
  product_id bigint not null,
  event_type text not null,
  event_data jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default domain_now(),
  constraint lead_events_pkey PRIMARY KEY (id),
  constraint lead_events_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint lead_events_event_type_check CHECK ((event_type = ANY (ARRAY['activated'::text, 'deactivated'::text, 'stage_changed'::text, 'crm_status_changed'::text])))
);
CREATE INDEX lead_events_lead ON lead_events USING btree (lead_id, id);
CREATE INDEX lead_events_product ON lead_events USING btree (product_id, id);

create table leads (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  crm_id text,
  crm_fields jsonb not null default '{}'::jsonb,
  created_at timestamp(3) with time zone not null default domain_now(),
  updated_at timestamp(3) with time zone not null default domain_now(),
  recognized_deactivation_request boolean not null default false,
  timezone text,
  status text,
  stage text not null default 'initial'::text,
  is_active boolean not null default true,
  import_key uuid,
  eligible_since timestamp(3) with time zone not null default domain_now(),
  crm_pending boolean not null default false,
  human_owner_reason text,
  human_owned_since timestamp(3) with time zone,
  revision integer not null default 1,
  constraint leads_pkey PRIMARY KEY (id),
  constraint leads_id_product_id_key UNIQUE (id, product_id),
  constraint leads_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id),
  constraint leads_name_check CHECK ((btrim(name) <> ''::text)),
  constraint leads_stage_check CHECK ((stage = ANY (ARRAY['initial'::text, 'started'::text, 'ongoing'::text, 'pending'::text, 'refused'::text, 'ignore'::text, 'success'::text, 'failed'::text])))
);
CREATE INDEX leads_created ON leads USING btree (created_at);
CREATE INDEX leads_crm ON leads USING btree (product_id, crm_id) WHERE (crm_id IS NOT NULL);
CREATE INDEX leads_import ON leads USING btree (product_id, import_key) WHERE (import_key IS NOT NULL);
CREATE INDEX leads_product ON leads USING btree (product_id, id);
CREATE INDEX leads_product_created ON leads USING btree (product_id, created_at);
CREATE INDEX leads_product_stage ON leads USING btree (product_id, stage, id);

create table llm_prices (
  vendor text not null,
  model text not null,
  input_per_million numeric(12,4) not null,
  output_per_million numeric(12,4) not null,
  constraint llm_prices_pkey PRIMARY KEY (vendor, model),
  constraint llm_prices_input_per_million_check CHECK ((input_per_million >= (0)::numeric)),
  constraint llm_prices_model_check CHECK ((btrim(model) <> ''::text)),
  constraint llm_prices_output_per_million_check CHECK ((output_per_million >= (0)::numeric)),
  constraint llm_prices_vendor_check CHECK ((vendor = ANY (ARRAY['chatgpt'::text, 'gemini'::text, 'anthropic'::text])))
);

create table llm_runs (
  id bigint not null generated always as identity,
  created_at timestamp(3) with time zone not null default domain_now(),
  product_id bigint not null,
  dialogue_id bigint,
  message_id bigint,
  purpose text not null,
  name text not null,
  model_vendor text not null,
  model_name text not null,
  execution_ms integer not null,
  token_input_usage integer,
  token_output_usage integer,
  metadata jsonb not null default '{}'::jsonb,
  error text,
  cost numeric(14,8),
  lead_id bigint,
  constraint llm_runs_pkey PRIMARY KEY (id),
  constraint llm_runs_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);
CREATE INDEX llm_runs_dialogue ON llm_runs USING btree (dialogue_id) INCLUDE (cost, token_input_usage, token_output_usage) WHERE (dialogue_id IS NOT NULL);
CREATE INDEX llm_runs_lead ON llm_runs USING btree (lead_id) INCLUDE (cost, token_input_usage, token_output_usage) WHERE (lead_id IS NOT NULL);
CREATE INDEX llm_runs_message ON llm_runs USING btree (message_id) INCLUDE (cost) WHERE (message_id IS NOT NULL);
CREATE INDEX llm_runs_product ON llm_runs USING btree (product_id, id);
CREATE INDEX llm_runs_recent ON llm_runs USING brin (created_at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX llm_runs_unpriced ON llm_runs USING btree (created_at) WHERE ((cost IS NULL) AND (token_input_usage IS NOT NULL));

create table llm_spending (
  company_id bigint not null,
  day date not null,
  product_id bigint not null,
  purpose text not null,
  vendor text not null,
  model text not null,
  runs bigint not null default 0,
  unpriced bigint not null default 0,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost numeric(14,8) not null default 0,
  constraint llm_spending_pkey PRIMARY KEY (company_id, day, product_id, purpose, vendor, model),
  constraint llm_spending_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE
);

create table login_failures (
  id bigint not null generated always as identity,
  login text not null,
  address text not null,
  at timestamp(3) with time zone not null default clock_timestamp(),
  constraint login_failures_pkey PRIMARY KEY (id)
);
CREATE INDEX login_failures_address ON login_failures USING btree (address, at);

create table messages (
  id bigint not null generated always as identity,
  product_id bigint not null,
  contact_id bigint not null,
  dialogue_id bigint not null,
  channel_id bigint not null,
  message text not null,
  kind text not null default 'text'::text,
  media_url text,
  side text not null,
  author text not null,
  operator text,
  status text not null,
  reason text,
  error_code text,
  created_at timestamp(3) with time zone not null default domain_now(),
  thread_at timestamp(3) with time zone not null default domain_now(),
  scheduled_at timestamp(3) with time zone,
  sent_at timestamp(3) with time zone,
  sent_confirmation_at timestamp(3) with time zone,
  read_at timestamp(3) with time zone,
  removed_at timestamp(3) with time zone,
  ext_id text,
  client_key text,
  prompt_id bigint,
  prompt_name text,
  prompt_version integer,
  model_vendor text,
  model_name text,
  prepared_message_id bigint,
  ping_config_id bigint,
  ping_step_number integer,
  reply_on_msg_id bigint,
  rendered_prompt text,
  schedule_enabled boolean not null default true,
  debounce_guard boolean not null default true,
  turn integer,
  part_group uuid,
  send_key uuid not null default gen_random_uuid(),
  send_key_used_at timestamp(3) with time zone,
  attempts integer not null default 0,
  retry_count integer not null default 0,
  retry_at timestamp(3) with time zone,
  claimed_by uuid,
  claimed_at timestamp(3) with time zone,
  unconfirmed_at timestamp(3) with time zone,
  origin text,
  follow_up_anchor_id bigint,
  originally_scheduled_at timestamp(3) with time zone,
  status_due_at timestamp(3) with time zone,
  recipient_not_found boolean not null default false,
  trace uuid default gen_random_uuid(),
  previous_ext_ids text[] not null default '{}'::text[],
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint messages_author_check CHECK ((author = ANY (ARRAY['lead'::text, 'bot'::text, 'operator'::text, 'phone'::text, 'other'::text]))),
  constraint messages_inbound_is_of_user CHECK (((side = 'user'::text) = (status = 'inbound'::text))),
  constraint messages_origin_check CHECK ((origin = ANY (ARRAY['first'::text, 'ping'::text]))),
  constraint messages_scheduled_has_time CHECK (((status <> 'scheduled'::text) OR (scheduled_at IS NOT NULL))),
  constraint messages_sending_is_claimed CHECK (((status = 'sending'::text) = (claimed_by IS NOT NULL))),
  constraint messages_side_check CHECK ((side = ANY (ARRAY['user'::text, 'bot'::text]))),
  constraint messages_status_check CHECK ((status = ANY (ARRAY['scheduled'::text, 'sending'::text, 'sent'::text, 'delivered'::text, 'read'::text, 'error'::text, 'cancelled'::text, 'unconfirmed'::text, 'inbound'::text])))
);
CREATE INDEX messages_acknowledged ON messages USING btree (channel_id, thread_at) WHERE (status = ANY (ARRAY['delivered'::text, 'read'::text, 'inbound'::text]));
CREATE UNIQUE INDEX messages_client_key ON messages USING btree (dialogue_id, client_key) WHERE (client_key IS NOT NULL);
CREATE INDEX messages_contact ON messages USING btree (contact_id, id);
CREATE INDEX messages_deferred ON messages USING btree (product_id) WHERE ((status = 'scheduled'::text) AND (originally_scheduled_at IS NOT NULL));
CREATE INDEX messages_due ON messages USING btree (scheduled_at) WHERE (status = 'scheduled'::text);
CREATE INDEX messages_exchanged ON messages USING btree (product_id, thread_at) INCLUDE (side) WHERE ((removed_at IS NULL) AND (status <> ALL (ARRAY['scheduled'::text, 'cancelled'::text])));
CREATE INDEX messages_ext ON messages USING btree (ext_id) WHERE (ext_id IS NOT NULL);
CREATE INDEX messages_failures ON messages USING btree (id) INCLUDE (status) WHERE ((removed_at IS NULL) AND ((status = ANY (ARRAY['error'::text, 'unconfirmed'::text])) OR ((status = 'scheduled'::text) AND (retry_at IS NOT NULL))));
CREATE INDEX messages_failures_channel ON messages USING btree (channel_id, id) WHERE ((removed_at IS NULL) AND ((status = ANY (ARRAY['error'::text, 'unconfirmed'::text])) OR ((status = 'scheduled'::text) AND (retry_at IS NOT NULL))));
CREATE UNIQUE INDEX messages_one_sending ON messages USING btree (dialogue_id) WHERE (status = 'sending'::text);
CREATE UNIQUE INDEX messages_ping_once ON messages USING btree (dialogue_id, follow_up_anchor_id, ping_step_number) WHERE ((follow_up_anchor_id IS NOT NULL) AND (status <> 'cancelled'::text));
CREATE INDEX messages_previous_ext ON messages USING gin (previous_ext_ids) WHERE (previous_ext_ids <> '{}'::text[]);
CREATE INDEX messages_product ON messages USING btree (product_id, id) WHERE (removed_at IS NULL);
CREATE INDEX messages_queue ON messages USING btree (dialogue_id, scheduled_at, id) WHERE (status = ANY (ARRAY['scheduled'::text, 'unconfirmed'::text]));
CREATE INDEX messages_recipient_not_found ON messages USING btree (id) WHERE recipient_not_found;
CREATE INDEX messages_search ON messages USING gin (to_tsvector('simple'::regconfig, message)) WHERE (removed_at IS NULL);
CREATE INDEX messages_send_key ON messages USING btree (send_key) WHERE ((ext_id IS NULL) AND (status = ANY (ARRAY['sending'::text, 'unconfirmed'::text])));
CREATE INDEX messages_sending ON messages USING btree (claimed_by) WHERE (status = 'sending'::text);
CREATE INDEX messages_status_due ON messages USING btree (status_due_at) WHERE (status_due_at IS NOT NULL);
CREATE INDEX messages_thread ON messages USING btree (dialogue_id, thread_at, id);
CREATE INDEX messages_unacknowledged ON messages USING btree (channel_id, thread_at) WHERE ((status = 'sent'::text) AND (side = 'bot'::text));
CREATE INDEX messages_unsettled ON messages USING btree (product_id, id) WHERE (status = ANY (ARRAY['error'::text, 'unconfirmed'::text]));
CREATE UNIQUE INDEX messages_vendor_id ON messages USING btree (channel_id, ext_id) WHERE (ext_id IS NOT NULL);

create table migrations (
  name text not null,
  applied_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint migrations_pkey PRIMARY KEY (name)
);

create table nodes (
  instance_id uuid not null,
  name text not null,
  roles text[] not null,
  pid integer not null,
  started_at timestamp(3) with time zone not null default clock_timestamp(),
  heartbeat_at timestamp(3) with time zone not null default clock_timestamp(),
  ended_at timestamp(3) with time zone,
  worker_id text,
  version text,
  constraint nodes_pkey PRIMARY KEY (instance_id)
);
CREATE INDEX nodes_alive ON nodes USING btree (heartbeat_at) WHERE (ended_at IS NULL);

create table operator_authenticators (
  operator_id bigint not null,
  secret_sealed text not null,
  confirmed_at timestamp(3) with time zone,
  last_step bigint,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  constraint operator_authenticators_pkey PRIMARY KEY (operator_id),
  constraint operator_authenticators_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);

create table operator_companies (
  operator_id bigint not null,
  company_id bigint not null,
  constraint operator_companies_pkey PRIMARY KEY (operator_id, company_id),
  constraint operator_companies_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE,
  constraint operator_companies_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);
CREATE INDEX operator_companies_company ON operator_companies USING btree (company_id);

create table operator_passkeys (
  id bigint not null generated always as identity,
  operator_id bigint not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports jsonb not null default '[]'::jsonb,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_used_at timestamp(3) with time zone,
  constraint operator_passkeys_pkey PRIMARY KEY (id),
  constraint operator_passkeys_credential_id_key UNIQUE (credential_id),
  constraint operator_passkeys_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);
CREATE INDEX operator_passkeys_operator ON operator_passkeys USING btree (operator_id);

create table operator_recovery_codes (
  code_hash bytea not null,
  operator_id bigint not null,
  constraint operator_recovery_codes_pkey PRIMARY KEY (code_hash),
  constraint operator_recovery_codes_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);
CREATE INDEX operator_recovery_codes_operator ON operator_recovery_codes USING btree (operator_id);

create table operators (
  id bigint not null generated always as identity,
  login text not null,
  password_hash text not null,
  role text not null,
  is_active boolean not null default true,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_sign_in_at timestamp(3) with time zone,
  revision integer not null default 1,
  login_key text not null,
  must_change_password boolean not null default false,
  constraint operators_pkey PRIMARY KEY (id),
  constraint operators_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text])))
);
CREATE UNIQUE INDEX operators_login ON operators USING btree (lower(login));
CREATE UNIQUE INDEX operators_login_key ON operators USING btree (login_key);

create table outreach (
  lead_id bigint not null,
  product_id bigint not null,
  next_at timestamp(3) with time zone default domain_now(),
  retry_at timestamp(3) with time zone,
  attempts integer not null default 0,
  queue_type text,
  queued_at timestamp(3) with time zone,
  claimed_by uuid,
  next_action text,
  next_action_at timestamp(3) with time zone,
  reason jsonb,
  constraint outreach_pkey PRIMARY KEY (lead_id),
  constraint outreach_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint outreach_next_action_check CHECK ((next_action = ANY (ARRAY['first'::text, 'ping'::text, 'expire'::text]))),
  constraint outreach_queue_type_check CHECK ((queue_type = ANY (ARRAY['telegram'::text, 'whatsapp'::text])))
);
CREATE INDEX outreach_claimed ON outreach USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);
CREATE INDEX outreach_due ON outreach USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX outreach_product ON outreach USING btree (product_id, lead_id);
CREATE INDEX outreach_queue ON outreach USING btree (product_id, queue_type, queued_at, lead_id) WHERE (queued_at IS NOT NULL);

create table outreach_products (
  product_id bigint not null,
  next_at timestamp(3) with time zone,
  replan boolean not null default false,
  last_first_message_at timestamp(3) with time zone,
  last_first_message_lead_id bigint,
  last_first_message_id bigint,
  claimed_by uuid,
  constraint outreach_products_pkey PRIMARY KEY (product_id),
  constraint outreach_products_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);
CREATE INDEX outreach_products_due ON outreach_products USING btree (next_at) WHERE (next_at IS NOT NULL);
CREATE INDEX outreach_products_replan ON outreach_products USING btree (product_id) WHERE replan;

create table ping_configs (
  id bigint not null generated always as identity,
  product_id bigint not null,
  is_enabled boolean not null default true,
  config jsonb not null,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint ping_configs_pkey PRIMARY KEY (id),
  constraint ping_configs_product_id_key UNIQUE (product_id),
  constraint ping_configs_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

create table prepared_messages (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  type text not null,
  message text not null,
  is_follow_up boolean not null default false,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint prepared_messages_pkey PRIMARY KEY (id),
  constraint prepared_messages_id_product_id_key UNIQUE (id, product_id),
  constraint prepared_messages_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint prepared_messages_message_check CHECK ((btrim(message) <> ''::text)),
  constraint prepared_messages_name_check CHECK ((btrim(name) <> ''::text)),
  constraint prepared_messages_type_check CHECK ((type = ANY (ARRAY['initial'::text, 'ping'::text])))
);
CREATE INDEX prepared_messages_product ON prepared_messages USING btree (product_id, type, id);

create table product_channels (
  product_id bigint not null,
  channel_id bigint not null,
  inbound_enabled boolean not null default false,
  delay_messages_symbols_per_second integer,
  delay_messages_seconds integer,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  company_id bigint not null,
  constraint product_channels_pkey PRIMARY KEY (product_id, channel_id),
  constraint product_channels_channel_id_company_id_fkey FOREIGN KEY (channel_id, company_id) REFERENCES channel_companies(channel_id, company_id),
  constraint product_channels_product_id_company_id_fkey FOREIGN KEY (product_id, company_id) REFERENCES products(id, company_id) ON DELETE CASCADE,
  constraint product_channels_delay_messages_seconds_check CHECK ((delay_messages_seconds >= 0)),
  constraint product_channels_delay_messages_symbols_per_second_check CHECK ((delay_messages_symbols_per_second >= 1))
);
CREATE INDEX product_channels_channel ON product_channels USING btree (channel_id);
CREATE UNIQUE INDEX product_channels_inbound ON product_channels USING btree (channel_id) WHERE inbound_enabled;

create table product_integrations (
  id bigint not null generated always as identity,
  product_id bigint not null,
  crm_integration_id bigint not null,
  company_id bigint not null,
  config jsonb not null,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint product_integrations_pkey PRIMARY KEY (id),
  constraint product_integrations_product_id_crm_integration_id_key UNIQUE (product_id, crm_integration_id),
  constraint product_integrations_crm_integration_id_company_id_fkey FOREIGN KEY (crm_integration_id, company_id) REFERENCES crm_integrations(id, company_id),
  constraint product_integrations_product_id_company_id_fkey FOREIGN KEY (product_id, company_id) REFERENCES products(id, company_id) ON DELETE CASCADE
);
CREATE INDEX product_integrations_integration ON product_integrations USING btree (crm_integration_id);

create table products (
  id bigint not null generated always as identity,
  company_id bigint not null,
  name text not null,
  crm_id text,
  is_active boolean not null default true,
  config jsonb not null default '{"models_config": null, "messaging_config": null, "lead_expires_in_hours": 0}'::jsonb,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  timezone text not null default 'UTC'::text,
  long_day_from timestamp(3) with time zone,
  long_day_until timestamp(3) with time zone,
  reply_hours text not null default 'working'::text,
  constraint products_pkey PRIMARY KEY (id),
  constraint products_id_company_id_key UNIQUE (id, company_id),
  constraint products_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id),
  constraint products_long_day CHECK (((long_day_from IS NULL) = (long_day_until IS NULL))),
  constraint products_name_check CHECK ((btrim(name) <> ''::text)),
  constraint products_reply_hours_check CHECK ((reply_hours = ANY (ARRAY['working'::text, 'any'::text])))
);
CREATE INDEX products_company ON products USING btree (company_id);

create table prompt_groups (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  description text,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint prompt_groups_pkey PRIMARY KEY (id),
  constraint prompt_groups_id_product_id_key UNIQUE (id, product_id),
  constraint prompt_groups_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint prompt_groups_name_check CHECK ((btrim(name) <> ''::text))
);
CREATE INDEX prompt_groups_product ON prompt_groups USING btree (product_id, id);

create table prompt_versions (
  prompt_id bigint not null,
  version integer not null,
  text text not null,
  author text,
  created_at timestamp(3) with time zone not null default domain_now(),
  constraint prompt_versions_pkey PRIMARY KEY (prompt_id, version),
  constraint prompt_versions_prompt_id_fkey FOREIGN KEY (prompt_id) REFERENCES prompts(id) ON DELETE CASCADE
);

create table prompts (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  type text not null,
  text text not null,
  group_id bigint,
  rag_description text,
  author text,
  version integer not null default 1,
  created_at timestamp(3) with time zone not null default domain_now(),
  saved_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint prompts_pkey PRIMARY KEY (id),
  constraint prompts_id_product_id_key UNIQUE (id, product_id),
  constraint prompts_group_id_product_id_fkey FOREIGN KEY (group_id, product_id) REFERENCES prompt_groups(id, product_id),
  constraint prompts_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint prompts_name_check CHECK ((btrim(name) <> ''::text)),
  constraint prompts_type_check CHECK ((type = ANY (ARRAY['prompt'::text, 'classification'::text, 'qualification'::text, 'document'::text, 'ping'::text, 'subprompt'::text, 'refusal_qualification'::text])))
);
CREATE INDEX prompts_group ON prompts USING btree (group_id) WHERE (group_id IS NOT NULL);
CREATE INDEX prompts_product ON prompts USING btree (product_id, type, created_at);

create table rate_limits (
  key text not null,
  next_at timestamp with time zone not null default clock_timestamp(),
  constraint rate_limits_pkey PRIMARY KEY (key)
);

create table schedules (
  id bigint not null generated always as identity,
  product_id bigint not null,
  timezone text not null,
  config jsonb not null,
  created_at timestamp(3) with time zone not null default domain_now(),
  revision integer not null default 1,
  constraint schedules_pkey PRIMARY KEY (id),
  constraint schedules_product_id_key UNIQUE (product_id),
  constraint schedules_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

create table sessions (
  token_hash bytea not null,
  operator_id bigint not null,
  created_at timestamp(3) with time zone not null default clock_timestamp(),
  last_seen_at timestamp(3) with time zone not null default clock_timestamp(),
  id bigint not null generated always as identity,
  network text,
  browser text,
  reauthenticated_at timestamp(3) with time zone not null default clock_timestamp(),
  second_factor_due boolean not null default false,
  challenge text,
  challenge_at timestamp(3) with time zone,
  constraint sessions_pkey PRIMARY KEY (token_hash),
  constraint sessions_id_key UNIQUE (id),
  constraint sessions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);
CREATE INDEX sessions_operator ON sessions USING btree (operator_id);

create table suppressed_addresses (
  product_id bigint not null,
  address_hash bytea not null,
  suppressed_at timestamp(3) with time zone not null default domain_now(),
  constraint suppressed_addresses_pkey PRIMARY KEY (product_id, address_hash),
  constraint suppressed_addresses_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

create table vendor_account_companies (
  account_id bigint not null,
  company_id bigint not null,
  constraint vendor_account_companies_pkey PRIMARY KEY (account_id, company_id),
  constraint vendor_account_companies_account_id_fkey FOREIGN KEY (account_id) REFERENCES vendor_accounts(id) ON DELETE CASCADE,
  constraint vendor_account_companies_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE CASCADE
);
CREATE INDEX vendor_account_companies_company ON vendor_account_companies USING btree (company_id);

create table vendor_accounts (
  id bigint not null generated always as identity,
  vendor text not null,
  key_mask text not null,
  key_hash bytea not null,
  api_key_sealed text not null,
  hook_secret_hash bytea not null,
  hook_secret_sealed text not null,
  hook_registered_at timestamp(3) with time zone,
  key_rejected_reason text,
  created_at timestamp(3) with time zone not null default domain_now(),
  next_send_at timestamp(3) with time zone,
  sessions_polled_at timestamp(3) with time zone,
  company_id bigint,
  constraint vendor_accounts_pkey PRIMARY KEY (id),
  constraint vendor_accounts_hook_secret_hash_key UNIQUE (hook_secret_hash),
  constraint vendor_accounts_vendor_key_hash_key UNIQUE (vendor, key_hash),
  constraint vendor_accounts_company_id_fkey FOREIGN KEY (company_id) REFERENCES companies(id) ON DELETE SET NULL,
  constraint vendor_accounts_id_company_id_fkey FOREIGN KEY (id, company_id) REFERENCES vendor_account_companies(account_id, company_id) DEFERRABLE INITIALLY DEFERRED,
  constraint vendor_accounts_vendor_check CHECK ((vendor = ANY (ARRAY['wazzup24'::text, 'chatpush'::text])))
);

CREATE OR REPLACE FUNCTION domain_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN ((statement_timestamp() + (SELECT installation.clock_offset FROM installation)))::timestamp(3) with time zone;

CREATE OR REPLACE FUNCTION increment_revision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('rapport.rekeying', true) = 'on' then return new; end if;
  new.revision := old.revision + 1;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION let_owner_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.company_id is null then
    return null;
  end if;
  if tg_table_name = 'channels' then
    insert into channel_companies values (new.id, new.company_id) on conflict do nothing;
  else
    insert into vendor_account_companies values (new.id, new.company_id) on conflict do nothing;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION login_skeleton(login text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select translate(
    lower(normalize(regexp_replace(login, '\s+', ' ', 'g'), NFKC)),
    'авеёкмнопрстухіїјѕԁһԛԝӏαβεζηικμνορτυχ|01i',
    'abeekmhonpctyxlljsdhqwlabezhlkmvoptyxloll')
$function$;

CREATE OR REPLACE FUNCTION notify_access_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('access_changed', tg_table_name);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION redact_audit(leads bigint[], dialogues bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform set_config('rapport.erasing', 'on', true);
  update audit set before = null, after = null where noun = 'lead' and row_id = any(leads);
  update audit set before = null, after = null
   where coalesce(after, before) ? 'lead_id' and coalesce(after, before) ->> 'lead_id' = any(leads::text[]);
  update audit set before = null, after = null
   where coalesce(after, before) ? 'dialogue_id' and coalesce(after, before) ->> 'dialogue_id' = any(dialogues::text[]);
  update audit set before = null, after = null
   where noun = 'contact' and row_id in (select id from contacts where lead_id = any(leads));
  update audit set before = null, after = null where noun = 'dialogue' and row_id = any(dialogues);
  update audit set before = null, after = null
   where noun = 'message' and row_id in (select m.id from messages m
                                           join contacts c on c.id = m.contact_id where c.lead_id = any(leads));
  perform set_config('rapport.erasing', 'off', true);
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_account()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach_products o set next_at = domain_now()
    from channels h join product_channels l on l.channel_id = h.id
   where h.account_id = new.id and o.product_id = l.product_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_channel()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach_products o set next_at = domain_now()
    from product_channels l where l.channel_id = new.id and o.product_id = l.product_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_contact()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach set next_at = domain_now(), retry_at = null, attempts = 0
   where lead_id = case when tg_op = 'DELETE' then old.lead_id else new.lead_id end;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_dialogue()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach o set next_at = domain_now(), retry_at = null, attempts = 0
    from contacts c where c.id = new.contact_id and o.lead_id = c.lead_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_lead()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    insert into outreach (lead_id, product_id) values (new.id, new.product_id);
  else
    update outreach set next_at = domain_now(), retry_at = null, attempts = 0 where lead_id = new.id;
    -- Messages that wait for working hours wait for those of the new time zone.
    if old.timezone is distinct from new.timezone then
      update messages m set scheduled_at = originally_scheduled_at, originally_scheduled_at = null
        from contacts c where c.lead_id = new.id and m.contact_id = c.id and m.status = 'scheduled' and m.originally_scheduled_at is not null;
    end if;
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_llm_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach_products o set replan = true
    from products p
   where p.company_id = case when tg_op = 'DELETE' then old.company_id else new.company_id end and o.product_id = p.id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_message()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach o set next_at = domain_now(), retry_at = null, attempts = 0
    from contacts c where c.id = new.contact_id and o.lead_id = c.lead_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_product()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into outreach_products (product_id, replan) values (new.id, tg_op = 'UPDATE')
  on conflict (product_id) do update set replan = true;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reevaluate_after_setting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update outreach_products set replan = true
   where product_id = case when tg_op = 'DELETE' then old.product_id else new.product_id end;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION reject_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' then
    -- Erasing a person: what the entry held is gone; that it was made, by whom and when, stays.
    if current_setting('rapport.erasing', true) = 'on' and new.before is null and new.after is null
       and to_jsonb(new) - '{before,after}'::text[] = to_jsonb(old) - '{before,after}'::text[]
    then return new; end if;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION request_full_sync()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update amocrm_accounts set full_sync_requested = full_sync_requested + 1, next_sync_at = clock_timestamp()
   where crm_integration_id = new.crm_integration_id and state = 'connected';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION set_eligible_since()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.is_active and new.stage = 'initial') and not (old.is_active and old.stage = 'initial') then
    new.eligible_since := domain_now();
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION set_login_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.login_key := coalesce(new.login_key, login_skeleton(new.login));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION set_pending_stage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into crm_cards as c (product_id, card_id, crm_integration_id, lead_id, pending_stage, pending_stage_version, pending_stage_since)
  select new.product_id, new.crm_id::bigint, p.crm_integration_id, new.id, new.stage, 1, domain_now()
    from product_integrations p join crm_integrations i on i.id = p.crm_integration_id
   where p.product_id = new.product_id and i.is_active
   order by p.id limit 1
  on conflict (product_id, card_id) do update
    set lead_id = excluded.lead_id, pending_stage = excluded.pending_stage, pending_stage_version = c.pending_stage_version + 1,
        pending_stage_since = excluded.pending_stage_since, attempts = 0, retry_at = null, error = null
    where coalesce(c.lead_id, excluded.lead_id) = excluded.lead_id;
  new.crm_pending := found;
  return new;
end $function$;

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION reject_audit_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION reject_audit_change();
CREATE TRIGGER let_owner_use AFTER INSERT OR UPDATE OF company_id ON channels FOR EACH ROW EXECUTE FUNCTION let_owner_use();
CREATE TRIGGER reevaluate AFTER UPDATE ON channels FOR EACH ROW WHEN (((old.is_active IS DISTINCT FROM new.is_active) OR (old.paused_until IS DISTINCT FROM new.paused_until) OR (old.first_messages_stopped_at IS DISTINCT FROM new.first_messages_stopped_at) OR (old.config IS DISTINCT FROM new.config) OR (old.is_session_active IS DISTINCT FROM new.is_session_active))) EXECUTE FUNCTION reevaluate_after_channel();
CREATE TRIGGER revision BEFORE UPDATE ON channels FOR EACH ROW WHEN ((((((((((old.name IS DISTINCT FROM new.name) OR (old.number IS DISTINCT FROM new.number)) OR (old.vendor IS DISTINCT FROM new.vendor)) OR (old.channel_type IS DISTINCT FROM new.channel_type)) OR (old.vendor_ref IS DISTINCT FROM new.vendor_ref)) OR (old.account_id IS DISTINCT FROM new.account_id)) OR (old.config IS DISTINCT FROM new.config)) OR (old.is_active IS DISTINCT FROM new.is_active)) OR (old.company_id IS DISTINCT FROM new.company_id))) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER revision BEFORE UPDATE ON classification_configs FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER notify_access_changed AFTER DELETE ON companies FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER revision BEFORE UPDATE ON companies FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER reevaluate AFTER INSERT OR DELETE OR UPDATE ON company_llms FOR EACH ROW EXECUTE FUNCTION reevaluate_after_llm_key();
CREATE TRIGGER revision BEFORE UPDATE ON company_llms FOR EACH ROW WHEN (((((old.api_key_sealed IS DISTINCT FROM new.api_key_sealed) OR (old.key_mask IS DISTINCT FROM new.key_mask)) OR (old.config IS DISTINCT FROM new.config)) OR (old.is_active IS DISTINCT FROM new.is_active))) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER reevaluate AFTER INSERT OR DELETE OR UPDATE ON contacts FOR EACH ROW EXECUTE FUNCTION reevaluate_after_contact();
CREATE TRIGGER revision BEFORE UPDATE ON contacts FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER reevaluate AFTER UPDATE ON dialogues FOR EACH ROW WHEN (((old.owner IS DISTINCT FROM new.owner) OR (old.is_main IS DISTINCT FROM new.is_main) OR (old.last_user_msg_id IS DISTINCT FROM new.last_user_msg_id) OR (old.last_bot_msg_id IS DISTINCT FROM new.last_bot_msg_id) OR (old.skip_ping_for_msg_id IS DISTINCT FROM new.skip_ping_for_msg_id))) EXECUTE FUNCTION reevaluate_after_dialogue();
CREATE TRIGGER reevaluate_new AFTER INSERT ON dialogues FOR EACH ROW EXECUTE FUNCTION reevaluate_after_dialogue();
CREATE TRIGGER revision BEFORE UPDATE ON dialogues FOR EACH ROW WHEN (((((old.chat_id IS DISTINCT FROM new.chat_id) OR (old.skip_ping_for_msg_id IS DISTINCT FROM new.skip_ping_for_msg_id)) OR (old.is_main IS DISTINCT FROM new.is_main)) OR (old.owner IS DISTINCT FROM new.owner))) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER revision BEFORE UPDATE ON document_prompts FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER notify_access_changed AFTER UPDATE OF second_factor_required ON installation FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER revision BEFORE UPDATE ON lead_documents FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER reevaluate AFTER UPDATE ON leads FOR EACH ROW WHEN (((old.is_active IS DISTINCT FROM new.is_active) OR (old.stage IS DISTINCT FROM new.stage) OR (old.timezone IS DISTINCT FROM new.timezone) OR (old.name IS DISTINCT FROM new.name) OR (old.crm_fields IS DISTINCT FROM new.crm_fields) OR (old.human_owner_reason IS DISTINCT FROM new.human_owner_reason))) EXECUTE FUNCTION reevaluate_after_lead();
CREATE TRIGGER reevaluate_new AFTER INSERT ON leads FOR EACH ROW EXECUTE FUNCTION reevaluate_after_lead();
CREATE TRIGGER revision BEFORE UPDATE ON leads FOR EACH ROW WHEN ((((((((old.name IS DISTINCT FROM new.name) OR (old.crm_id IS DISTINCT FROM new.crm_id)) OR (old.crm_fields IS DISTINCT FROM new.crm_fields)) OR (old.timezone IS DISTINCT FROM new.timezone)) OR (old.stage IS DISTINCT FROM new.stage)) OR (old.is_active IS DISTINCT FROM new.is_active)) OR (old.recognized_deactivation_request IS DISTINCT FROM new.recognized_deactivation_request))) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER set_eligible_since BEFORE UPDATE OF is_active, stage ON leads FOR EACH ROW EXECUTE FUNCTION set_eligible_since();
CREATE TRIGGER set_pending_stage BEFORE UPDATE OF stage ON leads FOR EACH ROW WHEN (((old.stage IS DISTINCT FROM new.stage) AND (new.crm_id ~ '^[1-9][0-9]{0,14}$'::text))) EXECUTE FUNCTION set_pending_stage();
CREATE TRIGGER reevaluate AFTER UPDATE OF status ON messages FOR EACH ROW WHEN (((new.side = 'bot'::text) AND (old.status IS DISTINCT FROM new.status) AND (new.status = ANY (ARRAY['error'::text, 'cancelled'::text, 'unconfirmed'::text])))) EXECUTE FUNCTION reevaluate_after_message();
CREATE TRIGGER notify_access_changed AFTER INSERT OR DELETE OR UPDATE OF confirmed_at ON operator_authenticators FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER notify_access_changed AFTER INSERT OR DELETE OR UPDATE ON operator_companies FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER notify_access_changed AFTER INSERT OR DELETE ON operator_passkeys FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER notify_access_changed AFTER DELETE OR UPDATE OF login, password_hash, role, is_active ON operators FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER set_login_key BEFORE INSERT ON operators FOR EACH ROW EXECUTE FUNCTION set_login_key();
CREATE TRIGGER reevaluate AFTER INSERT OR DELETE OR UPDATE ON ping_configs FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();
CREATE TRIGGER revision BEFORE UPDATE ON ping_configs FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER reevaluate AFTER UPDATE ON prepared_messages FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();
CREATE TRIGGER revision BEFORE UPDATE ON prepared_messages FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER reevaluate AFTER INSERT OR DELETE OR UPDATE ON product_channels FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();
CREATE TRIGGER revision BEFORE UPDATE ON product_channels FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER request_full_sync AFTER INSERT OR UPDATE ON product_integrations FOR EACH ROW EXECUTE FUNCTION request_full_sync();
CREATE TRIGGER revision BEFORE UPDATE ON product_integrations FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER notify_access_changed AFTER DELETE OR UPDATE ON products FOR EACH STATEMENT EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER reevaluate AFTER UPDATE ON products FOR EACH ROW WHEN (((old.config IS DISTINCT FROM new.config) OR (old.is_active IS DISTINCT FROM new.is_active) OR (old.reply_hours IS DISTINCT FROM new.reply_hours))) EXECUTE FUNCTION reevaluate_after_product();
CREATE TRIGGER reevaluate_new AFTER INSERT ON products FOR EACH ROW EXECUTE FUNCTION reevaluate_after_product();
CREATE TRIGGER reevaluate_zone AFTER UPDATE ON products FOR EACH ROW WHEN ((old.timezone IS DISTINCT FROM new.timezone)) EXECUTE FUNCTION reevaluate_after_product();
CREATE TRIGGER revision BEFORE UPDATE ON products FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER revision BEFORE UPDATE ON prompt_groups FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER reevaluate AFTER UPDATE ON prompts FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();
CREATE TRIGGER revision BEFORE UPDATE ON prompts FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER reevaluate AFTER INSERT OR DELETE OR UPDATE ON schedules FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();
CREATE TRIGGER revision BEFORE UPDATE ON schedules FOR EACH ROW WHEN ((old.* IS DISTINCT FROM new.*)) EXECUTE FUNCTION increment_revision();
CREATE TRIGGER notify_access_changed AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER notify_access_changed_by_proof AFTER UPDATE OF reauthenticated_at ON sessions FOR EACH ROW EXECUTE FUNCTION notify_access_changed();
CREATE TRIGGER let_owner_use AFTER INSERT OR UPDATE OF company_id ON vendor_accounts FOR EACH ROW EXECUTE FUNCTION let_owner_use();
CREATE TRIGGER reevaluate AFTER UPDATE ON vendor_accounts FOR EACH ROW WHEN ((old.key_rejected_reason IS DISTINCT FROM new.key_rejected_reason)) EXECUTE FUNCTION reevaluate_after_account();
