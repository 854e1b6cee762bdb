create table second_factor_guesses (
  operator_id bigint not null,
  in_a_row integer not null default 0,
  wait_until timestamptz(3),
  wrong integer not null default 0,
  first_at timestamptz(3) not null default clock_timestamp(),
  last_at timestamptz(3) not null default clock_timestamp(),
  last_network text,
  is_noticed boolean not null default false,
  constraint second_factor_guesses_pkey PRIMARY KEY (operator_id),
  constraint second_factor_guesses_operator_id_fkey FOREIGN KEY (operator_id) REFERENCES operators(id) ON DELETE CASCADE
);
