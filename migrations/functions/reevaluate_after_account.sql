-- A vendor account whose key works again, or no longer: the first messages that wait for it are evaluated.
create or replace function reevaluate_after_account() returns trigger language plpgsql as $$
begin
  update outreach_products o set next_at = domain_now()
    from channels h join product_channels l on l.channel_id = h.id
   where h.account_id = new.id and o.product_id = l.product_id;
  return null;
end $$;

create or replace trigger reevaluate after update on vendor_accounts for each row
  when (old.key_rejected_reason is distinct from new.key_rejected_reason)
  execute function reevaluate_after_account();
