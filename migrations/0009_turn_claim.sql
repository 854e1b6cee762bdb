-- Which life of which node asks a model for the turn's answer, since when (real clock). A model is slow and costs money:
-- no second one is asked for the same turn meanwhile.

alter table dialogues add column turn_claimed_by uuid, add column turn_claimed_at timestamptz(3);
