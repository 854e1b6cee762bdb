-- Dialogues that nobody's Needs me showed. One that is assigned to an operator who cannot see it any more is assigned to
-- nobody.
update dialogues d set assignee_id = null
  from operators o, products p
 where o.id = d.assignee_id and p.id = d.product_id
   and not (o.is_active and (o.role = 'admin' or exists (select from operator_companies m
                                                          where m.operator_id = o.id and m.company_id = p.company_id)));

-- A lead whom the bot may not write to, and who has written since, needs a person.
alter table dialogues drop constraint dialogues_no_answer_check, add constraint dialogues_no_answer_check
  check (no_answer = any (array['no_prompt', 'template', 'budget', 'model', 'inactive', 'opted_out', 'product_off', 'stage']));
update dialogues d set no_answer = case when l.is_active then 'product_off'
                                        when l.recognized_deactivation_request then 'opted_out' else 'inactive' end
  from contacts c, leads l, products p
 where c.id = d.contact_id and l.id = c.lead_id and p.id = d.product_id and not (l.is_active and p.is_active)
   and d.owner = 'bot' and d.waiting_since is not null and d.no_answer is null and d.turn_due_at is null;

-- An upgrade from before the inbox has no trigger yet that counts.
delete from inbox_counts;
insert into inbox_counts (product_id, inbox_state, assignee_id, count)
select product_id, inbox_state, assignee_id, count(*) from dialogues group by 1, 2, 3;
