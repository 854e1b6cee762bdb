-- Redact what audit entries contain of people, with the rights of the table's owner. One statement for each way in which
-- an entry refers to a person, so that each uses its index.
create or replace function redact_audit(leads bigint[], dialogues bigint[]) returns void language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('rapport.erasing', 'on', true);
  update public.audit set before = null, after = null where noun = 'lead' and row_id = any(leads);
  update public.audit set before = null, after = null
   where coalesce(after, before) ? 'lead_id' and coalesce(after, before) ->> 'lead_id' = any(leads::text[]);
  update public.audit set before = null, after = null
   where coalesce(after, before) ? 'dialogue_id' and coalesce(after, before) ->> 'dialogue_id' = any(dialogues::text[]);
  update public.audit set before = null, after = null
   where noun = 'contact' and row_id in (select id from public.contacts where lead_id = any(leads));
  update public.audit set before = null, after = null where noun = 'dialogue' and row_id = any(dialogues);
  update public.audit set before = null, after = null
   where noun = 'message' and row_id in (select m.id from public.messages m
                                           join public.dialogues d on d.id = m.dialogue_id
                                           join public.contacts c on c.id = d.contact_id where c.lead_id = any(leads));
  perform set_config('rapport.erasing', 'off', true);
end $$;
