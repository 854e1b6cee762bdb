/** Mutations of what the database guards: roles, the audit log, encrypted values, backups. */
import type { MutationsByTest } from './mutation.ts';

export const DATABASE_MUTATIONS: MutationsByTest = {
  'src/platform/postgres/roles.test.ts': {
    'The app may change the audit log': {
      file: 'migrations/grants.sql',
      change: ['revoke update, delete on audit from rapport_app;', ''],
      failing: 'may append to the audit log and read it',
    },
    'The owner changes the audit log by mistake': {
      file: 'migrations/functions/reject_audit_change.sql',
      change: ['append_only before delete or update on audit', 'append_only before delete on audit'],
      failing: 'keeps the audit log append-only for its owner too',
    },
    'The app makes tables': {
      file: 'migrations/grants.sql',
      change: ['revoke create on schema public from public;', 'grant create on schema public to rapport_app;'],
      failing: "refuses the app's role: create table stolen",
    },
  },
  'src/platform/postgres/supervisor.test.ts': {
    'The embedded server trusts whoever comes': {
      file: 'src/platform/postgres/access.ts',
      change: ['peer map=rapport', 'trust'],
      failing: "runs under its own account when started as root, and admits only our user's processes",
    },
    'A cluster of nobody stays his': {
      file: 'src/platform/postgres/account.ts',
      change: ['owner.uid === 0 || owner.uid === NOBODY.uid)', 'owner.uid === 0)'],
      failing: 'moves a data directory of 1.0.0 to the new account and roles with all data',
    },
  },
  'src/access/audit.test.ts': {
    'An export of the audit log leaves no trace': {
      file: 'src/access/auditRoutes.ts',
      change: [
        `await recordAuditEntry(tx, {
          caller,
          action: 'exported'`,
        `if (caller.id < 0) await recordAuditEntry(tx, {
          caller,
          action: 'exported'`,
      ],
      failing: 'exports all filtered entries line by line, and records the export',
    },
  },
  'src/platform/rekey.test.ts': {
    'Rekeying overwrites what was entered meanwhile': {
      file: 'src/platform/rekey.ts',
      change: ['where ${key} = n.key and t.${column} = n.sealed', 'where ${key} = n.key'],
      failing: 'loses no value entered meanwhile on a server with the former key',
    },
  },
  'src/platform/secretCipher.test.ts': {
    'A sealed value’s key is not bound to it': {
      file: 'src/platform/secretCipher.ts',
      change: [
        'const matchingKey = keys.find((one) => one.id === id);',
        'const matchingKey = keys.find((one) => one.id !== id) ?? keys[0];',
      ],
      failing: 'decrypts each value under the key it names, and encrypts under the current one',
    },
  },
  'src/platform/postgres/backup.test.ts': {
    'A changed backup is restored': {
      file: 'src/platform/postgres/backupMac.ts',
      change: ["return isOne ? 'verified' : 'changed';", "return isOne || size > 0 ? 'verified' : 'changed';"],
      failing: 'refuses a backup file with a wrong signature before changing anything',
    },
    'A backup is written into what lies there': {
      file: 'src/platform/postgres/backup.ts',
      change: [
        `    await rm(unfinished, { force: true });
    const target = createWriteStream(unfinished, { mode: 0o600, flags: 'wx' });`,
        '    const target = createWriteStream(unfinished, { mode: 0o600 });',
      ],
      failing: 'does not write a backup into an existing file or link',
    },
  },
  'src/platform/outbound.test.ts': {
    'Azure’s host is taken for a public address': {
      file: 'src/platform/outbound.ts',
      change: ["['168.63.129.16', 32],", ''],
      failing: 'classifies 168.63.129.16 as not public',
    },
  },
  'src/platform/postgres/tls.long.test.ts': {
    'The database lets nodes in without TLS': {
      file: 'ops/compose/postgres/pg_hba.conf',
      change: ['hostssl  all  all  0.0.0.0/0', 'host     all  all  0.0.0.0/0'],
      failing: 'refuses connections without TLS',
    },
  },
};
