-- What people do in a chat beside writing: they edit and delete messages, react, press buttons, and say that no answer is
-- needed. All of it is a message with a kind, or changes one.
alter table messages
  -- When the lead, or a person of ours on the phone, edited or deleted it, and the words before, oldest first.
  add column edited_at timestamptz(3),
  add column deleted_at timestamptz(3),
  add column earlier_texts jsonb not null default '[]',
  -- When the lead changed it after it was answered, so that it is answered again.
  add column restated_at timestamptz(3),
  -- The vendor's id of the message that it quotes or reacts to.
  add column refers_to_ext_id text,
  -- A message of a lead that starts no turn.
  add column is_sign boolean not null default false;

update messages set is_sign = true where side = 'user' and kind in ('missing_call', 'unsupported', 'unknown');

alter table dialogues
  -- Why nobody needs to answer the lead's last message.
  add column quiet_reason text,
  add constraint dialogues_quiet_reason_check check (quiet_reason = any (array['closing', 'reaction', 'deleted'])),
  drop constraint dialogues_no_answer_check,
  add constraint dialogues_no_answer_check
    check (no_answer = any (array['no_prompt', 'template', 'budget', 'model', 'inactive', 'opted_out', 'product_off', 'stage',
                                  'late', 'call', 'order', 'payment', 'unreadable'])),
  drop constraint dialogues_owner_reason_check,
  add constraint dialogues_owner_reason_check
    check (owner_reason = any (array['operator', 'phone', 'qualified', 'writes_again', 'crm_step', 'crm_deleted',
                                     'asked_for_human', 'agrees_to_buy', 'cannot_answer', 'threatens', 'robot']));

alter table hand_overs
  drop constraint hand_overs_reason_check,
  add constraint hand_overs_reason_check
    check (reason = any (array['qualified', 'asked_for_human', 'agrees_to_buy', 'cannot_answer', 'threatens', 'robot']));

alter table inbox
  drop constraint inbox_kind_check,
  add constraint inbox_kind_check check (kind = any (array['message', 'status', 'channel', 'edit', 'deletion']));
