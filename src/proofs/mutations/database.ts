/** Mutations of what the database guards: roles, the audit log, encrypted values, backups. */
import type { Mutation } from './core.ts';

const ROLES = 'src/platform/postgres/roles.test.ts';
const SUPERVISOR = 'src/platform/postgres/supervisor.test.ts';

export const DATABASE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'The app may change the audit log',
    file: 'migrations/grants.sql',
    from: 'revoke update, delete on audit from rapport_app;',
    to: '',
    test: ROLES,
    testName: 'may append to the audit log and read it',
  },
  {
    name: 'The owner changes the audit log by mistake',
    file: 'migrations/0036_audit_append_only.sql',
    from: 'create trigger append_only before update or delete on audit',
    to: 'create trigger append_only before delete on audit',
    test: ROLES,
    testName: 'keeps the audit log append-only for its owner too',
  },
  {
    name: 'The app makes tables',
    file: 'migrations/grants.sql',
    from: 'revoke create on schema public from public;',
    to: 'grant create on schema public to rapport_app;',
    test: ROLES,
    testName: "refuses the app's role: create table stolen",
  },
  {
    name: 'The embedded server trusts whoever comes',
    file: 'src/platform/postgres/access.ts',
    from: 'peer map=rapport',
    to: 'trust',
    test: SUPERVISOR,
    testName: "runs under its own account when started as root, and admits only our user's processes",
  },
  {
    name: 'A cluster of nobody stays his',
    file: 'src/platform/postgres/account.ts',
    from: 'owner.uid === 0 || owner.uid === NOBODY.uid)',
    to: 'owner.uid === 0)',
    test: SUPERVISOR,
    testName: 'moves a data directory of 1.0.0 to the new account and roles with all data',
  },
  {
    name: 'An export of the audit log leaves no trace',
    file: 'src/access/auditRoutes.ts',
    from: `await recordAuditEntry(tx, {
          caller,
          action: 'exported'`,
    to: `if (caller.id < 0) await recordAuditEntry(tx, {
          caller,
          action: 'exported'`,
    test: 'src/access/audit.test.ts',
    testName: 'exports all filtered entries line by line, and records the export',
  },
  {
    name: 'Rekeying overwrites what was entered meanwhile',
    file: 'src/platform/rekey.ts',
    from: 'where ${key} = n.key and t.${column} = n.sealed',
    to: 'where ${key} = n.key',
    test: 'src/platform/rekey.test.ts',
    testName: 'loses no value entered meanwhile on a server with the former key',
  },
  {
    name: 'A sealed value’s key is not bound to it',
    file: 'src/platform/secretCipher.ts',
    from: 'const matchingKey = keys.find((one) => one.id === id);',
    to: 'const matchingKey = keys.find((one) => one.id !== id) ?? keys[0];',
    test: 'src/platform/secretCipher.test.ts',
    testName: 'decrypts each value under the key it names, and encrypts under the current one',
  },
  {
    name: 'A changed backup is restored',
    file: 'src/platform/postgres/backupMac.ts',
    from: "return isOne ? 'verified' : 'changed';",
    to: "return isOne || size > 0 ? 'verified' : 'changed';",
    test: 'src/platform/postgres/backup.test.ts',
    testName: 'refuses a backup file with a wrong signature before changing anything',
  },
  {
    name: 'A backup is written into what lies there',
    file: 'src/platform/postgres/backup.ts',
    from: "    await rm(unfinished, { force: true });\n    const target = createWriteStream(unfinished, { mode: 0o600, flags: 'wx' });",
    to: '    const target = createWriteStream(unfinished, { mode: 0o600 });',
    test: 'src/platform/postgres/backup.test.ts',
    testName: 'does not write a backup into an existing file or link',
  },
  {
    name: 'Azure’s host is taken for a public address',
    file: 'src/platform/outbound.ts',
    from: "['168.63.129.16', 32],",
    to: '',
    test: 'src/platform/outbound.test.ts',
    testName: 'classifies 168.63.129.16 as not public',
  },
  {
    name: 'The database lets nodes in without TLS',
    file: 'ops/compose/postgres/pg_hba.conf',
    from: 'hostssl  all  all  0.0.0.0/0',
    to: 'host     all  all  0.0.0.0/0',
    test: 'src/platform/postgres/tls.long.test.ts',
    testName: 'refuses connections without TLS',
  },
];
