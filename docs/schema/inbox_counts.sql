create table inbox_counts (
  product_id bigint not null,
  inbox_state text not null,
  assignee_id bigint,
  count integer not null
);

-- desk: the counts of the inbox
CREATE INDEX inbox_counts_product ON inbox_counts USING btree (product_id);
