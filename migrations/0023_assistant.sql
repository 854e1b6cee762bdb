-- The assistant's proposals that wait for the operator. They outlive the socket, and this process, for ten minutes.
create table assistant_questions (
  id bigint generated always as identity primary key,
  operator_id bigint not null references operators on delete cascade,
  product_id bigint not null references products on delete cascade,
  chat_id text not null,
  -- What the model is asked with once all calls are answered.
  state jsonb not null,
  -- Real clock.
  asked_at timestamptz(3) not null default clock_timestamp(),
  unique (operator_id, chat_id)
);
create index assistant_questions_asked on assistant_questions (asked_at);
create index assistant_questions_product on assistant_questions (product_id);

create table assistant_calls (
  call_id uuid primary key,
  question_id bigint not null references assistant_questions on delete cascade,
  index int not null,
  -- What the model calls it.
  model_call_id text not null,
  tool text not null,
  arguments jsonb not null,
  -- Whether the operator is asked first.
  confirm boolean not null,
  confirmed_at timestamptz(3),
  answered_at timestamptz(3),
  result jsonb,
  unique (question_id, index)
);
