/** Mutations of what the database guards: roles, the audit log, encrypted values, backups. */
import type { MutationsByTest } from './mutation.ts';

export const DATABASE_MUTATIONS: MutationsByTest = {
  'src/platform/postgres/roles.test.ts': {
    "The app's role can change the audit log": {
      file: 'migrations/grants.sql',
      removed: 'revoke update, delete on audit from rapport_app;',
      failing: 'may append to the audit log and read it',
    },
    'The owner can change the audit log by mistake': {
      file: 'migrations/functions/reject_audit_change.sql',
      change: ['before delete or update on audit', 'before delete on audit'],
      failing: 'keeps the audit log append-only for its owner too',
    },
    "The app's role can create tables": {
      file: 'migrations/grants.sql',
      change: ['revoke create on schema public from public;', 'grant create on schema public to rapport_app;'],
      failing: "refuses the app's role: create table stolen",
    },
  },
  'src/platform/postgres/supervisor.test.ts': {
    'The embedded server trusts any local account': {
      file: 'src/platform/postgres/access.ts',
      change: ['peer map=rapport', 'trust'],
      failing: "runs under its own account when started as root, and admits only our user's processes",
    },
    'A cluster of the account nobody keeps its owner': {
      file: 'src/platform/postgres/account.ts',
      removed: ' || owner.uid === NOBODY.uid',
      failing: 'moves a data directory of 1.0.0 to the new account and roles with all data',
    },
  },
  'src/access/audit.test.ts': {
    'An export of the audit log is not recorded': {
      file: 'src/access/auditRoutes.ts',
      change: [
        "await recordAuditEntry(tx, {\n          caller,\n          action: 'exported'",
        "if (caller.id < 0) await recordAuditEntry(tx, {\n          caller,\n          action: 'exported'",
      ],
      failing: 'exports all filtered entries line by line, and records the export',
    },
  },
  'src/platform/rekey.test.ts': {
    'Rekeying overwrites values entered meanwhile': {
      removed: ' and t.${column} = n.sealed',
      failing: 'loses no value entered meanwhile on a server with the former key',
    },
  },
  'src/platform/secretCipher.test.ts': {
    'A sealed value is opened with another key than the one it names': {
      change: ['(one) => one.id === id);', '(one) => one.id !== id) ?? keys[0];'],
      failing: 'decrypts each value under the key it names, and encrypts under the current one',
    },
  },
  'src/platform/postgres/backup.test.ts': {
    'A changed backup is restored': {
      file: 'src/platform/postgres/backupMac.ts',
      change: ["return isOne ? 'verified' : 'changed';", "return isOne || size > 0 ? 'verified' : 'changed';"],
      failing: 'refuses a backup file with a wrong signature before changing anything',
    },
    'A backup is written into an existing file': {
      change: [
        "    await rm(unfinished, { force: true });\n    const target = createWriteStream(unfinished, { mode: 0o600, flags: 'wx' });",
        '    const target = createWriteStream(unfinished, { mode: 0o600 });',
      ],
      failing: 'does not write a backup into an existing file or link',
    },
  },
  'src/platform/outbound.test.ts': {
    "Azure's platform address counts as public": {
      removed: "['168.63.129.16', 32],",
      failing: 'classifies 168.63.129.16 as not public',
    },
  },
  'src/platform/postgres/tls.long.test.ts': {
    'The database accepts connections without TLS': {
      file: 'ops/compose/postgres/pg_hba.conf',
      change: ['hostssl  all  all  0.0.0.0/0', 'host     all  all  0.0.0.0/0'],
      failing: 'refuses connections without TLS',
    },
  },
};
