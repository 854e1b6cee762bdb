-- Wrong logins are counted by address too: one password may be tried on everybody. The address leads, so one index serves
-- both counts.

create index login_failures_address on login_failures (address, at);
drop index login_failures_recent;
