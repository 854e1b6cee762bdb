-- Messages whose claims have ended are found by the workers themselves: the jobs that named them are not needed any more.
do $$
begin
  if to_regclass('graphile_worker.jobs') is not null then
    perform graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs where task_identifier = 'reclaim'));
  end if;
end $$;
