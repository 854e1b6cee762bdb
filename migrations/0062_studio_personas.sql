-- Personas: simulated leads that a model plays. Derived ones hold nothing of real people: names, numbers, addresses, e-mails
-- and links are removed before they are stored.
create table studio_personas (
  id bigint generated always as identity primary key,
  product_id bigint not null references products (id) on delete cascade,
  name text not null check (btrim(name) <> ''),
  style text not null,
  language text not null,
  goal text not null,
  questions jsonb not null default '[]',
  objections jsonb not null default '[]',
  ending text not null check (ending in ('buys', 'asks_for_human', 'refuses', 'falls_silent', 'opts_out')),
  requirements jsonb not null default '[]',
  -- Of how many dialogues it was made; null: it was written by hand.
  derived_from integer check (derived_from > 0),
  author text,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  unique (id, product_id)
);
create index studio_personas_product on studio_personas (product_id, id);
comment on index studio_personas_product is 'studio: list a product''s personas';
