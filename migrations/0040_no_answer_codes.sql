-- Why a turn has no answer is a code; what it is about (a vendor's words, a template's error) is a column of its own.
alter table dialogues add column no_answer_detail text;

update dialogues set
  no_answer_detail = case
    when no_answer = 'No answer: the product has no prompt' then null
    else regexp_replace(no_answer, '^No answer: (the prompt cannot be rendered: )?', '') end,
  no_answer = case
    when no_answer = 'No answer: the product has no prompt' then 'no_prompt'
    when starts_with(no_answer, 'No answer: the prompt cannot be rendered: ') then 'template'
    when starts_with(no_answer, 'No answer: Today’s budget for models is spent') then 'budget'
    else 'model' end
 where no_answer is not null;

alter table dialogues add constraint dialogues_no_answer_check
  check (no_answer in ('no_prompt', 'template', 'budget', 'model'));
