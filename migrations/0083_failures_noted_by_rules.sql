-- What a failed message means to its dialogue is decided where the message fails, no longer by a trigger.
drop trigger if exists note_failure on messages;
drop function if exists note_failure();
