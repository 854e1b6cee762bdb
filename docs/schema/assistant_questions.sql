create table assistant_questions (
  id bigint not null generated always as identity,
  operator_id bigint not null,
  product_id bigint not null,
  chat_id text not null,
  state json not null,
  asked_at timestamptz(3) not null default clock_timestamp(),
  constraint assistant_questions_pkey PRIMARY KEY (id),
  constraint assistant_questions_operator_id_chat_id_key UNIQUE (operator_id, chat_id),
  constraint assistant_questions_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE,
  constraint assistant_questions_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE
);

-- assistant: delete old questions
CREATE INDEX assistant_questions_asked ON assistant_questions USING btree (asked_at);

-- products: delete a product with its questions
CREATE INDEX assistant_questions_product ON assistant_questions USING btree (product_id);
