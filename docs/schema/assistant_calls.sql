create table assistant_calls (
  call_id uuid not null,
  question_id bigint not null,
  index integer not null,
  model_call_id text not null,
  tool text not null,
  arguments json not null,
  confirm boolean not null,
  confirmed_at timestamptz(3),
  answered_at timestamptz(3),
  result json,
  constraint assistant_calls_pkey PRIMARY KEY (call_id),
  constraint assistant_calls_question_id_index_key UNIQUE (question_id, index),
  constraint assistant_calls_question_id_fkey FOREIGN KEY (question_id) REFERENCES assistant_questions(id) ON DELETE CASCADE
);
