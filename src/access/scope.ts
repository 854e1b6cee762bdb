/** Condition for operators and the audit log: only admins have access. */
const ADMIN_ONLY = '($2::bigint[] is null)';

export const operatorScopes = {
  operator: { by: 'own', sql: `select id from operators where id = any($1::bigint[]) and ${ADMIN_ONLY}` },
  audit_entry: { by: 'own', sql: `select id from audit where id = any($1::bigint[]) and ${ADMIN_ONLY}` },
} as const;
