-- The attempts that Insights reads facts of: a tenth of all, with what its filters read of them.
create index outcomes_refused on outcomes (product_id, started_at)
  include (reached, origin_id, course_id, lead_id, attempt, id) where started_at is not null and reached & 576 <> 0;
comment on index outcomes_refused is 'outcomes: the attempts that ended with a refusal or an opt-out';
create index outcomes_handed_over on outcomes (product_id, started_at)
  include (reached, origin_id, course_id, lead_id, attempt, handed_over_at) where started_at is not null and reached & 1024 <> 0;
comment on index outcomes_handed_over is 'outcomes: the attempts that were handed over to people';
