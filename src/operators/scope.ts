/** Operators and the trail are nobody's but the admins'. */
const MINE = '($2::bigint[] is null)';

export const operatorScopes = {
  operator: { by: 'own', sql: `select id from operators where id = any($1::bigint[]) and ${MINE}` },
  audit_entry: { by: 'own', sql: `select id from audit where id = any($1::bigint[]) and ${MINE}` },
} as const;
