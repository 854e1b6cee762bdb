-- The version of each row that an operator edits: ETag and If-Match carry it. Changes that no operator makes (when a key
-- last worked) do not count.
create or replace function increment_revision() returns trigger language plpgsql as $$
begin
  if current_setting('rapport.rekeying', true) = 'on' then return new; end if;
  new.revision := old.revision + 1;
  return new;
end $$;

create or replace trigger revision before update on channels for each row
  when (old.name is distinct from new.name or old.number is distinct from new.number
    or old.vendor is distinct from new.vendor or old.channel_type is distinct from new.channel_type
    or old.vendor_ref is distinct from new.vendor_ref or old.account_id is distinct from new.account_id
    or old.config is distinct from new.config or old.is_active is distinct from new.is_active
    or old.company_id is distinct from new.company_id)
  execute function increment_revision();

create or replace trigger revision before update on classification_configs for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on companies for each row
  when (old.name is distinct from new.name)
  execute function increment_revision();

create or replace trigger revision before update on company_llms for each row
  when (old.api_key_sealed is distinct from new.api_key_sealed or old.key_mask is distinct from new.key_mask
    or old.config is distinct from new.config or old.is_active is distinct from new.is_active)
  execute function increment_revision();

create or replace trigger revision before update on contacts for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on dialogues for each row
  when (old.chat_id is distinct from new.chat_id
    or old.skip_ping_for_msg_id is distinct from new.skip_ping_for_msg_id
    or old.is_main is distinct from new.is_main or old.owner is distinct from new.owner)
  execute function increment_revision();

create or replace trigger revision before update on document_prompts for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on experiments for each row
  when (old.name is distinct from new.name or old.kind is distinct from new.kind or old.metric is distinct from new.metric
    or old.days is distinct from new.days or old.part is distinct from new.part
    or old.base_rate is distinct from new.base_rate or old.difference is distinct from new.difference
    or old.guards is distinct from new.guards or old.arms is distinct from new.arms or old.state is distinct from new.state
    or old.arm_states is distinct from new.arm_states or old.applied_at is distinct from new.applied_at)
  execute function increment_revision();

create or replace trigger revision before update on lead_documents for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on leads for each row
  when (old.name is distinct from new.name or old.crm_id is distinct from new.crm_id
    or old.crm_fields is distinct from new.crm_fields or old.timezone is distinct from new.timezone
    or old.stage is distinct from new.stage or old.is_active is distinct from new.is_active
    or old.recognized_deactivation_request is distinct from new.recognized_deactivation_request
    or old.tags is distinct from new.tags or old.owner_id is distinct from new.owner_id)
  execute function increment_revision();

create or replace trigger revision before update on ping_configs for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on prepared_messages for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on product_channels for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on product_integrations for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on products for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on prompt_groups for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on prompts for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on saved_views for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on schedules for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();

create or replace trigger revision before update on studio_cases for each row
  when (old.name is distinct from new.name or old.prompt_id is distinct from new.prompt_id
    or old.prompt_type is distinct from new.prompt_type or old.history is distinct from new.history
    or old.facts is distinct from new.facts or old.requirements is distinct from new.requirements
    or old.rubric is distinct from new.rubric or old.is_enabled is distinct from new.is_enabled)
  execute function increment_revision();

create or replace trigger revision before update on studio_personas for each row
  when (old.* is distinct from new.*)
  execute function increment_revision();
