-- A channel that may send again, or no longer: the first messages that wait for it are evaluated.
create or replace function reevaluate_after_channel() returns trigger language plpgsql as $$
begin
  update outreach_products o set next_at = domain_now()
    from product_channels l where l.channel_id = new.id and o.product_id = l.product_id;
  return null;
end $$;

create or replace trigger reevaluate after update on channels for each row
  when (old.is_active is distinct from new.is_active or old.paused_until is distinct from new.paused_until
    or old.first_messages_stopped_at is distinct from new.first_messages_stopped_at
    or old.config is distinct from new.config or old.is_session_active is distinct from new.is_session_active)
  execute function reevaluate_after_channel();
