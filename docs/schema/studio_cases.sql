create table studio_cases (
  id bigint not null generated always as identity,
  product_id bigint not null,
  prompt_id bigint,
  prompt_type text not null,
  name text not null,
  source text not null,
  message_id bigint,
  dialogue_id bigint,
  lead_id bigint,
  history jsonb not null,
  facts jsonb not null,
  answer text,
  requirements jsonb not null,
  rubric text,
  is_enabled boolean not null default true,
  author text,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint studio_cases_pkey PRIMARY KEY (id),
  constraint studio_cases_id_product_id_key UNIQUE (id, product_id),
  constraint studio_cases_dialogue_id_product_id_fkey FOREIGN KEY (dialogue_id, product_id) REFERENCES dialogues(id, product_id) ON DELETE CASCADE,
  constraint studio_cases_lead_id_product_id_fkey FOREIGN KEY (lead_id, product_id) REFERENCES leads(id, product_id) ON DELETE CASCADE,
  constraint studio_cases_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint studio_cases_prompt_id_product_id_fkey FOREIGN KEY (prompt_id, product_id) REFERENCES prompts(id, product_id) ON DELETE CASCADE,
  constraint studio_cases_name_check CHECK (btrim(name) <> ''::text),
  constraint studio_cases_prompt_type_check CHECK (prompt_type = ANY (ARRAY['prompt'::text, 'classification'::text])),
  constraint studio_cases_source_check CHECK (source = ANY (ARRAY['keep'::text, 'never'::text, 'should_say'::text, 'manual'::text]))
);

-- conversations: cases that are deleted with a dialogue
CREATE INDEX studio_cases_dialogue ON studio_cases USING btree (dialogue_id) WHERE dialogue_id IS NOT NULL;

-- leads: count the cases of a lead, and delete them with it
CREATE INDEX studio_cases_lead ON studio_cases USING btree (lead_id) WHERE lead_id IS NOT NULL;

-- studio: list a product's cases
CREATE INDEX studio_cases_product ON studio_cases USING btree (product_id, id);

-- studio: the cases of a prompt; prompts: delete them with it
CREATE INDEX studio_cases_prompt ON studio_cases USING btree (prompt_id) WHERE prompt_id IS NOT NULL;

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON studio_cases FOR EACH ROW WHEN (old.name IS DISTINCT FROM new.name OR old.prompt_id IS DISTINCT FROM new.prompt_id OR old.prompt_type IS DISTINCT FROM new.prompt_type OR old.history IS DISTINCT FROM new.history OR old.facts IS DISTINCT FROM new.facts OR old.requirements IS DISTINCT FROM new.requirements OR old.rubric IS DISTINCT FROM new.rubric OR old.is_enabled IS DISTINCT FROM new.is_enabled) EXECUTE FUNCTION increment_revision();
