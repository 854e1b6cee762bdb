-- Each row that an operator edits has a version: ETag and If-Match speak of it. A trigger raises it, so that every way
-- of changing the row counts. What only keeps the books (when a key last worked, when somebody signed in) is not named.
create function raise_revision() returns trigger language plpgsql as $$
begin
  new.revision := old.revision + 1;
  return new;
end $$;

do $$
declare
  name text;
begin
  foreach name in array array['companies', 'products', 'prompts', 'prompt_groups', 'prepared_messages', 'document_prompts',
    'leads', 'contacts', 'lead_documents', 'channels', 'product_channels', 'company_llms', 'classification_configs',
    'schedules', 'ping_configs', 'product_integrations', 'dialogues', 'operators']
  loop
    execute format('alter table %I add column revision integer not null default 1', name);
  end loop;
  -- Settings and texts hold nothing but what is edited.
  foreach name in array array['products', 'prompts', 'prompt_groups', 'prepared_messages', 'document_prompts', 'contacts',
    'lead_documents', 'product_channels', 'classification_configs', 'schedules', 'ping_configs', 'product_integrations']
  loop
    execute format('create trigger revision before update on %I for each row
      when (old.* is distinct from new.*) execute function raise_revision()', name);
  end loop;
end $$;

create trigger revision before update on companies for each row
  when (old.name is distinct from new.name) execute function raise_revision();
create trigger revision before update on company_llms for each row
  when ((old.api_key_sealed, old.key_mask, old.config, old.is_active)
    is distinct from (new.api_key_sealed, new.key_mask, new.config, new.is_active)) execute function raise_revision();
create trigger revision before update on channels for each row
  when ((old.name, old.number, old.vendor, old.channel_type, old.vendor_ref, old.account_id, old.config, old.is_active)
    is distinct from
    (new.name, new.number, new.vendor, new.channel_type, new.vendor_ref, new.account_id, new.config, new.is_active))
  execute function raise_revision();
create trigger revision before update on leads for each row
  when ((old.name, old.crm_id, old.crm_fields, old.timezone, old.stage, old.is_active, old.recognized_deactivation_request)
    is distinct from
    (new.name, new.crm_id, new.crm_fields, new.timezone, new.stage, new.is_active, new.recognized_deactivation_request))
  execute function raise_revision();
create trigger revision before update on dialogues for each row
  when ((old.chat_id, old.skip_ping_for_msg_id, old.is_main, old.owner)
    is distinct from (new.chat_id, new.skip_ping_for_msg_id, new.is_main, new.owner)) execute function raise_revision();
