-- What starts no turn of the bot has to be seen by a person: a message that came late, a call, or what cannot be shown.
alter table dialogues drop constraint dialogues_no_answer_check, add constraint dialogues_no_answer_check
  check (no_answer = any (array['no_prompt', 'template', 'budget', 'model', 'inactive', 'opted_out', 'product_off', 'stage',
                                'late', 'call', 'unreadable']));
