-- Wrong codes at the second step of a sign-in, and how long the next one has to wait.
create table second_factor_guesses (
  operator_id bigint primary key references operators on delete cascade,
  -- Wrong codes since the last success. The wait grows with it.
  in_a_row int not null default 0,
  -- Real clock. No code is accepted before.
  wait_until timestamptz(3),
  -- What the operator is shown: wrong codes since they last dismissed the notice or had none.
  wrong int not null default 0,
  first_at timestamptz(3) not null default clock_timestamp(),
  last_at timestamptz(3) not null default clock_timestamp(),
  last_network text,
  -- Whether there were enough in a row for a notice.
  is_noticed boolean not null default false
);
