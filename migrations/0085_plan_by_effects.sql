-- Whatever changes what the plan of a lead reads has the plan evaluated by itself now, in the same transaction.
drop trigger if exists reevaluate on dialogues;
drop trigger if exists reevaluate_new on dialogues;
drop function if exists reevaluate_after_dialogue();
drop trigger if exists reevaluate on contacts;
drop function if exists reevaluate_after_contact();
drop trigger if exists reevaluate on leads;
drop trigger if exists reevaluate_new on leads;
drop function if exists reevaluate_after_lead();
