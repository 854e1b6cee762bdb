-- Whether a message was exchanged: written by the lead, or ours and accepted by the vendor. A notice of the messenger was
-- written by nobody.
create or replace function is_exchanged(side text, kind text, status text) returns boolean language sql immutable parallel safe
  return case side when 'user' then kind <> 'system' else status in ('sent', 'delivered', 'read') end;
