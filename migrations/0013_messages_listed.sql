-- Lists, counts and figures never see what was removed: with that in the index they are read from it alone, and the
-- rows of one product, which lie scattered over the table, are fetched for the page only.
drop index messages_product;
create index messages_product on messages (product_id, id) where removed_at is null;
