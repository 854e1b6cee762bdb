-- A password that somebody else has set is for one sign-in: nothing is open until its operator has chosen another one.
-- Passwords of before stay as they are.
alter table operators add column must_change_password boolean not null default false;
