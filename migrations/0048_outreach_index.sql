-- The leads of a product are found by leads_product_stage, and their outreach by its key: see replanLeads.
drop index outreach_product;
