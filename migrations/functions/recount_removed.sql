-- Recounts a lead after its messages were removed.
create or replace function recount_removed() returns trigger language plpgsql as $$
declare
  lead bigint;
begin
  if tg_table_name = 'contacts' then
    lead := old.lead_id;
  else
    -- The messages of a removed dialogue go with it: they are counted once, and not at all if their lead goes too.
    if tg_table_name = 'messages' then
      if not exists (select from dialogues d where d.id = old.dialogue_id) then return null; end if;
    end if;
    select c.lead_id into lead from contacts c where c.id = old.contact_id;
  end if;
  if exists (select from leads l where l.id = lead) then perform recount_outcomes(array[lead]); end if;
  return null;
end $$;

create or replace trigger recount_removed after delete on messages for each row
  when (is_exchanged(old.side, old.kind, old.status)) execute function recount_removed();

create or replace trigger recount_removed after delete on dialogues for each row execute function recount_removed();

create or replace trigger recount_removed after delete on contacts for each row execute function recount_removed();
