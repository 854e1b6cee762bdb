-- Assigns the dialogues that an operator cannot see any more to nobody, so that they need the others again. Returns them.
create or replace function release_dialogues(operator bigint) returns table (id bigint, product_id bigint)
language sql as $$
  update dialogues d set assignee_id = null
    from operators o, products p
   where o.id = operator and d.assignee_id = o.id and p.id = d.product_id
     and not (o.is_active and (o.role = 'admin' or exists (select from operator_companies m
                                                            where m.operator_id = o.id and m.company_id = p.company_id)))
  returning d.id, d.product_id
$$;
