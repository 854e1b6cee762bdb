-- Dialogues that nobody's Needs me showed. One that is assigned to an operator who cannot see it any more is assigned to
-- nobody.
update dialogues d set assignee_id = null
  from operators o, products p
 where o.id = d.assignee_id and p.id = d.product_id
   and not (o.is_active and (o.role = 'admin' or exists (select from operator_companies m
                                                          where m.operator_id = o.id and m.company_id = p.company_id)));

-- An upgrade from before the inbox has no trigger yet that counts.
delete from inbox_counts;
insert into inbox_counts (product_id, inbox_state, assignee_id, count)
select product_id, inbox_state, assignee_id, count(*) from dialogues group by 1, 2, 3;
