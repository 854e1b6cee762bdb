-- Why a human owns a dialogue or a lead, and what became of an inbox item, are codes. What each is about (an operator's
-- login, a step of the CRM, a message's id, an error) is a column of its own.
alter table dialogues add column owner_reason_detail text;
alter table leads add column human_owner_detail text;
alter table inbox add column note_detail text;

create function pg_temp.owner_code(reason text) returns text language sql as $$
  select case
    when reason in ('phone', 'qualified') then reason
    when reason = 'writes again' then 'writes_again'
    when reason = 'The card was deleted in amoCRM' then 'crm_deleted'
    when reason ~ '^Moved to ".*" in amoCRM$' then 'crm_step'
    else 'operator' end
$$;
create function pg_temp.owner_detail(reason text) returns text language sql as $$
  select case pg_temp.owner_code(reason)
    when 'operator' then reason
    when 'crm_step' then substring(reason from '^Moved to "(.*)" in amoCRM$') end
$$;
update dialogues set owner_reason = pg_temp.owner_code(owner_reason), owner_reason_detail = pg_temp.owner_detail(owner_reason)
 where owner_reason is not null;
update leads set human_owner_reason = pg_temp.owner_code(human_owner_reason), human_owner_detail = pg_temp.owner_detail(human_owner_reason)
 where human_owner_reason is not null;
drop function pg_temp.owner_detail, pg_temp.owner_code;

update inbox i set
  note = coalesce(codes.code, case
    when source.note ~ '^message \d+$' then 'message'
    when source.note ~ '^an earlier try of message \d+$' then 'earlier_attempt'
    else 'error' end),
  note_detail = case when codes.code is null then regexp_replace(source.note, '^(an earlier try of )?message (\d+)$', '\2') end
  from inbox source left join (values
    ('the account is asked again', 'account_polled'),
    ('channel state noted', 'channel_state'),
    ('no channel or chat', 'no_chat'),
    ('a group', 'group'),
    ('a group: not answered', 'group'),
    ('a message without a text', 'no_text'),
    ('a notice of the messenger', 'system_notice'),
    ('the channel is gone', 'channel_deleted'),
    ('nobody listens on this channel', 'no_product'),
    ('known already', 'duplicate'),
    ('written by others to somebody unknown', 'unknown_recipient'),
    ('written from the phone', 'phone'),
    ('sent by another system', 'other_system'),
    ('waits for a send of ours', 'awaits_send'),
    ('waits for its message', 'awaits_message')) as codes (sentence, code) on codes.sentence = source.note
 where source.id = i.id and i.note is not null;

alter table dialogues add constraint dialogues_owner_reason_check
  check (owner_reason in ('operator', 'phone', 'qualified', 'writes_again', 'crm_step', 'crm_deleted'));
alter table leads add constraint leads_human_owner_reason_check check (human_owner_reason in ('crm_step', 'crm_deleted'));
