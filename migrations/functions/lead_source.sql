-- Where a lead came from; `started_by` is who wrote first in its first attempt.
create or replace function lead_source(import_id bigint, crm_id text, started_by text) returns text language sql immutable parallel safe
  return case when import_id is not null then 'import' when crm_id is not null then 'crm'
              when started_by = 'lead' then 'inbound' else 'api' end;
