-- That a cancelled message has its lead evaluated is a rule of the engine now, as it is of all else that becomes of messages.
drop trigger if exists reevaluate on messages;
drop function if exists reevaluate_after_message();
