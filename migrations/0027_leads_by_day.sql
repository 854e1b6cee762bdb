-- How many leads of a product are new: read from the index alone. By `leads_created` the leads of all products were looked
-- through. [The dashboard's figures among a million messages and a hundred thousand leads: 8 ms before, 1.3 ms with it]
create index leads_product_created on leads (product_id, created_at);
