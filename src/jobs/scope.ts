/** Jobs belong to no company; only admins may access them. */
export const jobScopes = {
  job: {
    by: 'own',
    sql: 'select id from graphile_worker._private_jobs where id = any($1::bigint[]) and ($2::bigint[] is null)',
  },
} as const;
