create table product_channels (
  product_id bigint not null,
  channel_id bigint not null,
  inbound_enabled boolean not null default false,
  delay_messages_symbols_per_second integer,
  delay_messages_seconds integer,
  created_at timestamptz(3) not null default domain_now(),
  revision integer not null default 1,
  company_id bigint not null,
  constraint product_channels_pkey PRIMARY KEY (product_id, channel_id),
  constraint product_channels_channel_id_company_id_fkey FOREIGN KEY (channel_id, company_id) REFERENCES channel_companies(channel_id, company_id),
  constraint product_channels_product_id_company_id_fkey FOREIGN KEY (product_id, company_id) REFERENCES products(id, company_id) ON DELETE CASCADE,
  constraint product_channels_delay_messages_seconds_check CHECK (delay_messages_seconds >= 0),
  constraint product_channels_delay_messages_symbols_per_second_check CHECK (delay_messages_symbols_per_second >= 1)
);

-- channels: products linked to a channel
CREATE INDEX product_channels_channel ON product_channels USING btree (channel_id);

-- Rule: at most one product receives what strangers write on a channel
CREATE UNIQUE INDEX product_channels_inbound ON product_channels USING btree (channel_id) WHERE inbound_enabled;

-- migrations/functions/reevaluate_after_setting.sql
CREATE TRIGGER reevaluate AFTER INSERT OR DELETE OR UPDATE ON product_channels FOR EACH ROW EXECUTE FUNCTION reevaluate_after_setting();

-- migrations/functions/increment_revision.sql
CREATE TRIGGER revision BEFORE UPDATE ON product_channels FOR EACH ROW WHEN (old.* IS DISTINCT FROM new.*) EXECUTE FUNCTION increment_revision();
