create table studio_personas (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  style text not null,
  language text not null,
  goal text not null,
  questions jsonb not null default '[]'::jsonb,
  objections jsonb not null default '[]'::jsonb,
  ending text not null,
  requirements jsonb not null default '[]'::jsonb,
  derived_from integer,
  author text,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint studio_personas_pkey PRIMARY KEY (id),
  constraint studio_personas_id_product_id_key UNIQUE (id, product_id),
  constraint studio_personas_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint studio_personas_derived_from_check CHECK (derived_from > 0),
  constraint studio_personas_ending_check CHECK (ending = ANY (ARRAY['buys'::text, 'asks_for_human'::text, 'refuses'::text, 'falls_silent'::text, 'opts_out'::text])),
  constraint studio_personas_name_check CHECK (btrim(name) <> ''::text)
);

-- studio: list a product's personas
CREATE INDEX studio_personas_product ON studio_personas USING btree (product_id, id);

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON studio_personas FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
