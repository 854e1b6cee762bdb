/** Condition for operators and the audit log: only admins have access. */
const ADMIN_ONLY = '($2::bigint[] is null)';

/** Operators whom the caller may know: admins, and those who share a company with the caller. */
const KNOWN = {
  by: 'own',
  sql: `select o.id from operators o
         where o.id = any($1::bigint[])
           and ($2::bigint[] is null or o.role = 'admin'
                or exists (select 1 from operator_companies m where m.operator_id = o.id and m.company_id = any($2::bigint[])))`,
} as const;

export const operatorScopes = {
  operator: { by: 'own', sql: `select id from operators where id = any($1::bigint[]) and ${ADMIN_ONLY}` },
  /** The owner of a lead. */
  owner: KNOWN,
  /** The operator to whom a dialogue is assigned. */
  assignee: KNOWN,
  audit_entry: { by: 'own', sql: `select id from audit where id = any($1::bigint[]) and ${ADMIN_ONLY}` },
} as const;
