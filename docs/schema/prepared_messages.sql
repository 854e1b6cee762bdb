create table prepared_messages (
  id bigint not null generated always as identity,
  product_id bigint not null,
  name text not null,
  type text not null,
  message text not null,
  is_follow_up boolean not null default false,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  constraint prepared_messages_pkey PRIMARY KEY (id),
  constraint prepared_messages_id_product_id_key UNIQUE (id, product_id),
  constraint prepared_messages_product_id_fkey FOREIGN KEY (product_id) REFERENCES products(id) ON DELETE CASCADE,
  constraint prepared_messages_message_check CHECK (btrim(message) <> ''::text),
  constraint prepared_messages_name_check CHECK (btrim(name) <> ''::text),
  constraint prepared_messages_type_check CHECK (type = ANY (ARRAY['initial'::text, 'ping'::text]))
);

-- prompts: list a product's prepared messages of a type
CREATE INDEX prepared_messages_product ON prepared_messages USING btree (product_id, type, id);

-- migrations/functions/reevaluate_after_setting.sql
CREATE TRIGGER reevaluate AFTER UPDATE ON prepared_messages FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON prepared_messages FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
