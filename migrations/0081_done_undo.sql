-- What a dialogue needed when it was marked as done, so that this can be undone.
alter table dialogues add column done_needs jsonb;
