-- Each lead has an outreach row, which is evaluated when a fact of the lead changes.
create or replace function reevaluate_after_lead() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into outreach (lead_id, product_id) values (new.id, new.product_id);
    -- Its first message may be due.
    if new.stage = 'initial' then perform pg_notify('sweep', 'plan'); end if;
  else
    if current_setting('rapport.saves_plan', true) is distinct from 'on' then perform reevaluate_lead(new.id); end if;
    -- Messages that wait for working hours wait for those of the new time zone.
    if old.timezone is distinct from new.timezone then
      update messages m set scheduled_at = originally_scheduled_at, originally_scheduled_at = null
        from contacts c join dialogues d on d.contact_id = c.id
       where c.lead_id = new.id and m.dialogue_id = d.id and m.status = 'scheduled' and m.originally_scheduled_at is not null;
    end if;
  end if;
  return null;
end $$;

create or replace trigger reevaluate after update on leads for each row
  when (old.is_active is distinct from new.is_active or old.stage is distinct from new.stage
    or old.timezone is distinct from new.timezone or old.name is distinct from new.name
    or old.crm_fields is distinct from new.crm_fields
    or old.human_owner_reason is distinct from new.human_owner_reason)
  execute function reevaluate_after_lead();

create or replace trigger reevaluate_new after insert on leads for each row execute function reevaluate_after_lead();
