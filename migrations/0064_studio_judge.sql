-- The judge that compares answers: its model, and the pairs of answers that operators label to see how far it can be
-- trusted.
do $$
declare
  present jsonb;
begin
  execute (select 'select ' || pg_get_expr(d.adbin, d.adrelid)
             from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
            where d.adrelid = 'products'::regclass and a.attname = 'config') into present;
  execute format('alter table products alter column config set default %L', present || '{"judge_model_config": null}');
end $$;
-- Neither a revision nor a plan changes with it.
alter table products disable trigger user;
update products set config = config || '{"judge_model_config": null}';
alter table products enable trigger user;

create table studio_pairs (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  -- The replay it comes from; null: the run is gone, the label is not.
  run_id bigint,
  -- Whose words it holds; it is deleted with them.
  dialogue_id bigint not null,
  lead_id bigint not null,
  -- The bot's message that was really sent in this turn.
  message_id bigint not null,
  history jsonb not null,
  first text not null,
  second text not null,
  -- Drawn by lot, so that neither operators nor the judge can learn where the candidate is.
  is_candidate_first boolean not null,
  -- The judge, with the version of its question: a label says nothing of another one.
  judge text not null,
  -- What it preferred in each order, by position.
  judged_order text not null check (judged_order in ('first', 'second', 'tie')),
  judged_reverse text not null check (judged_reverse in ('first', 'second', 'tie')),
  -- What follows from both: an answer that it preferred in both orders, else a tie.
  judged text not null check (judged in ('first', 'second', 'tie')),
  label text check (label in ('first', 'second', 'tie')),
  labelled_by text,
  labelled_at timestamptz(3),
  created_at timestamptz(3) not null default domain_now(),
  unique (run_id, message_id),
  foreign key (run_id, product_id) references studio_runs (id, product_id) on delete set null (run_id),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade,
  foreign key (lead_id, product_id) references leads (id, product_id) on delete cascade,
  constraint studio_pairs_label check (num_nulls(label, labelled_by, labelled_at) in (0, 3))
);
create index studio_pairs_product on studio_pairs (product_id, judge, id);
comment on index studio_pairs_product is 'studio: pairs to label, and the calibration of a judge';
create index studio_pairs_dialogue on studio_pairs (dialogue_id);
comment on index studio_pairs_dialogue is 'conversations: pairs that are deleted with a dialogue';
create index studio_pairs_lead on studio_pairs (lead_id);
comment on index studio_pairs_lead is 'leads: count the pairs of a lead, and delete them with it';
