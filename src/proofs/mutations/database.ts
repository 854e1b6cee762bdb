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
    testName: 'is append-only for the owner of the table too',
  },
  {
    name: 'The app makes tables',
    file: 'migrations/grants.sql',
    from: 'revoke create on schema public from public;',
    to: 'grant create on schema public to rapport_app;',
    test: ROLES,
    testName: 'is refused: create table stolen',
  },
  {
    name: 'The embedded server trusts whoever comes',
    file: 'src/platform/postgres/access.ts',
    from: 'peer map=rapport',
    to: 'trust',
    test: SUPERVISOR,
    testName: 'as root it runs under an account of its own, and only processes of our user come in',
  },
  {
    name: 'A cluster of nobody stays his',
    file: 'src/platform/postgres/account.ts',
    from: 'owner.uid === 0 || owner.uid === NOBODY.uid)',
    to: 'owner.uid === 0)',
    test: SUPERVISOR,
    testName: 'what version 1.0.0 made is given to the new account and roles',
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
    testName: 'is exported whole with its filters, line by line, and the export is in it',
  },
  {
    name: 'Rekeying overwrites what was entered meanwhile',
    file: 'src/platform/rekey.ts',
    from: 'where ${key} = n.key and t.${column} = n.sealed',
    to: 'where ${key} = n.key',
    test: 'src/platform/rekey.test.ts',
    testName: 'loses no value that is entered meanwhile on a server with the former key',
  },
  {
    name: 'A sealed value’s key is not bound to it',
    file: 'src/platform/secretCipher.ts',
    from: 'const matchingKey = keys.find((one) => one.id === id);',
    to: 'const matchingKey = keys.find((one) => one.id !== id) ?? keys[0];',
    test: 'src/platform/secretCipher.test.ts',
    testName: 'names its key: with several known each value opens under its own',
  },
  {
    name: 'A changed backup is restored',
    file: 'src/platform/postgres/backupMac.ts',
    from: "return isOne ? 'verified' : 'changed';",
    to: "return isOne || size > 0 ? 'verified' : 'changed';",
    test: 'src/platform/postgres/backup.test.ts',
    testName: 'a file that was changed, or written by somebody without the key, is refused before anything is changed',
  },
  {
    name: 'A backup is written into what lies there',
    file: 'src/platform/postgres/backup.ts',
    from: "    await rm(unfinished, { force: true });\n    const target = createWriteStream(unfinished, { mode: 0o600, flags: 'wx' });",
    to: '    const target = createWriteStream(unfinished, { mode: 0o600 });',
    test: 'src/platform/postgres/backup.test.ts',
    testName: 'what somebody has put in the way of a backup is not written into',
  },
  {
    name: 'Azure’s host is taken for a public address',
    file: 'src/platform/outbound.ts',
    from: "['168.63.129.16', 32],",
    to: '',
    test: 'src/platform/outbound.test.ts',
    testName: '168.63.129.16 is not',
  },
  {
    name: 'The database lets nodes in without TLS',
    file: 'ops/compose/postgres/pg_hba.conf',
    from: 'hostssl  all  all  0.0.0.0/0',
    to: 'host     all  all  0.0.0.0/0',
    test: 'src/platform/postgres/tls.long.test.ts',
    testName: 'nobody is let in without TLS',
  },
];
