-- While nodes are upgraded one by one, a process of a version before still queues jobs: what they are for is stored with
-- them, so that it is done even if no such process is left. A fresh installation has no table of jobs.
create or replace function adopt_queued_job() returns trigger language plpgsql as $$
begin
  perform public.adopt_job(t.identifier, new.payload::jsonb) from graphile_worker._private_tasks t where t.id = new.task_id;
  return null;
end $$;

do $$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    -- That process may queue a job before all rights of the app's role are granted.
    if exists (select from pg_roles where rolname = 'rapport_app') then
      grant select, insert, update on opt_out_propagations to rapport_app;
    end if;
    create or replace trigger adopt_queued_job after insert on graphile_worker._private_jobs
      for each row execute function adopt_queued_job();
    -- The trigger locks the table, so no job comes in between.
    perform adopt_job(t.identifier, j.payload::jsonb)
       from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id;
  end if;
end $$;
