-- Classification is due an interval after the lead's last message. The interval is a setting and stands with it, so that
-- a changed one counts at once; here stand the facts: the turn that was seen to last.
alter table dialogues add column classified_turn int not null default 0;
-- What was said before is not judged afterwards.
update dialogues set classified_turn = turn where turn > 0;
create index dialogues_unclassified on dialogues (product_id, last_user_msg_at) where turn > classified_turn;

-- One for each turn that fell due.
create table classifications (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  dialogue_id bigint not null,
  turn int not null,
  state text not null default 'open' check (state in ('open', 'done', 'void', 'failed')),
  -- Why it waits, is void, or was given up; a sentence.
  note text,
  -- Domain clock; later than now while a spent budget holds it.
  due_at timestamptz(3) not null default domain_now(),
  tries int not null default 0,
  -- Real clock: pause before the next try, and when the first try failed.
  retry_at timestamptz(3),
  failed_at timestamptz(3),
  claimed_by uuid,
  claimed_at timestamptz(3),
  created_at timestamptz(3) not null default domain_now(),
  settled_at timestamptz(3),
  unique (dialogue_id, turn),
  foreign key (dialogue_id, product_id) references dialogues (id, product_id) on delete cascade
);
create index classifications_due on classifications (due_at) where state = 'open';
create index classifications_failed on classifications (product_id, dialogue_id, turn) where state = 'failed';

-- Null: written by hand. A turn has one result.
alter table classification_results add column turn int;
create unique index classification_results_turn on classification_results (dialogue_id, turn) where turn is not null;

-- Results are history: they stay when classification is switched off.
alter table classification_results alter column config_id drop not null;
alter table classification_results drop constraint classification_results_config_id_product_id_fkey;
alter table classification_results add foreign key (config_id, product_id)
  references classification_configs (id, product_id) on delete set null (config_id);
