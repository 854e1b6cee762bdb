/** Mutations of what the database guards, and of the use of channels and accounts. */
import type { MutationsByTest } from './mutation.ts';

export const DATA_MUTATIONS: MutationsByTest = {
  'src/platform/postgres/roles.test.ts': {
    "The app's role can change the audit log": {
      file: 'migrations/grants.sql',
      removed: 'revoke update, delete on audit from rapport_app;',
      failing: "lets the app's role append to and read the audit log only",
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
  'src/companies/views.test.ts': {
    "Every member sees others' personal views": {
      file: 'src/companies/store/views.ts',
      change: [
        'v.page = ${page} and (v.operator_id = ${callerId} or v.is_shared)',
        'v.page = ${page} and (v.operator_id = ${callerId} or true)',
      ],
      failing: 'is seen by its author, and by the members of the company once it is shared',
    },
    "An admin shares another operator's personal view": {
      file: 'src/companies/store/views.ts',
      change: [
        'v.id = ${id} and (v.operator_id = ${callerId} or v.is_shared)',
        'v.id = ${id} and (v.operator_id = ${callerId} or true)',
      ],
      failing: 'is seen by its author, and by the members of the company once it is shared',
    },
    'A member changes a view that others share': {
      file: 'src/companies/viewRoutes.ts',
      disabled: 'if (!view.own && !caller.admin)',
      failing: 'is changed and deleted by its author and by admins only',
    },
  },
  'src/leads/tags.test.ts': {
    'A lead is owned by an operator without access to its product': {
      file: 'src/leads/changeMarks.ts',
      disabled: 'if (ownerId !== null && !(await mayOwnLeadsOf(tx, ownerId, productIds)))',
      failing: 'is owned by an operator with access to its product only',
    },
    'A member learns of operators of other companies': {
      file: 'src/access/scope.ts',
      change: ["o.role = 'admin'\n", 'true\n'],
      failing: 'is owned by an operator with access to its product only',
    },
    'A tag is found in its own case only': {
      file: 'src/leads/listing.ts',
      change: ['lower_tags(t.tags) && lower_tags(${bind(values)}::text[])', 't.tags && ${bind(values)}::text[]'],
      failing: 'is narrowed by tag without case, owner, CRM fields, and what outreach does next',
    },
    'A lead gets more than 20 tags': {
      file: 'src/products/tagContract.ts',
      change: [' || changed.length > MAX_TAGS ? null', ' ? null'],
      failing: 'get and lose tags, and get an owner, after a count that changes nothing',
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
    'A second server ends the emulators of the first': {
      file: 'src/platform/postgres/supervisor.ts',
      change: [
        '  const lock = await lockDataDir(dir);\n  onLocked?.();',
        '  onLocked?.();\n  const lock = await lockDataDir(dir);',
      ],
      failing: 'names the process that uses the data directory, and starts once it has stopped',
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
  'src/loadSandbox.test.ts': {
    'The emulators go on beside an installation that is no sandbox': {
      removed: '  await stopEmulators(emulators);\n',
      failing: 'starts emulators early only where they have run, and ends them if this is no sandbox',
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
  'src/channels/ownership.test.ts': {
    'A shared channel is shared with everybody': {
      file: 'src/channels/scope.ts',
      change: ['s.company_id = any($))', '(s.company_id = any($) or true))'],
      failing: 'answers a member 404 unless the company may use the channel, and changes nothing',
    },
    'A channel can be linked for any company': {
      change: ['if (channel.companies.includes(company)) return company;', 'if (company > 0) return company;'],
      failing: 'gives members of both companies no way to use it for a company it is not shared with',
    },
    'A channel that several companies use goes to the next that links it': {
      disabled: 'if (others.some((one) => one !== company))',
      failing: 'has no owner until an admin chooses: linked companies keep using it, no other sees it',
    },
    'A key can be used for any company': {
      change: ['account.company_id !== null) throw', 'false) throw'],
      failing: 'refuses the key of an account that is not shared with the company',
    },
    'Members see who owns a channel that is shared with them': {
      file: 'src/channels/routes.ts',
      removed: ' company_id: null, company_name: null,',
      failing: 'lets the other company use a shared channel until it is unshared, which its links prevent',
    },
    "Another company's dialogue that has the address is revealed": {
      file: 'src/conversations/openDialogue.ts',
      change: ['(await isInCompanyOfProduct(tx, dialogueId, productId))', 'true'],
      failing: 'does not reveal whose dialogue has an address',
    },
    'A dialogue can be opened on a channel that its company may not use': {
      file: 'src/conversations/routes.ts',
      disabled: 'if (!(await canProductUse(tx, body.product_id, body.channel_id)))',
      failing: 'gives members of both companies no way to use it for a company it is not shared with',
    },
    "Messages can be submitted for another company's account": {
      file: 'src/inbox/store/webhookAccess.ts',
      change: ['(a.company_id is null\n', '(true\n'],
      failing: 'refuses messages where the account, a channel or a dialogue on it belongs to others',
    },
    "Messages can be submitted beside another company's channels": {
      file: 'src/inbox/store/webhookAccess.ts',
      change: ['t.account_id = a.id and not exists (', 't.account_id < 0 and not exists ('],
      failing: 'refuses messages where the account, a channel or a dialogue on it belongs to others',
    },
    "Messages can be submitted into another company's dialogues": {
      file: 'src/inbox/store/webhookAccess.ts',
      change: ['where p.company_id <> all(', 'where p.id < 0 and p.company_id <> all('],
      failing: 'refuses messages where the account, a channel or a dialogue on it belongs to others',
    },
    'Submitted messages are not in the audit log': {
      file: 'src/inbox/submitWebhook.ts',
      change: ["action: 'webhook submitted',", "action: 'received',"],
      failing: 'accepts messages where the operator can access the whole account, and records each call',
    },
  },
  'src/channels/companyIsolation.test.ts': {
    'A channel is not locked while it is linked': {
      file: 'src/channels/store/ownership.ts',
      change: ['from channels where id = ${id} for no key update', 'from channels where id = ${id}'],
      failing: 'goes to the first company when admins link it for two at once',
    },
  },
  'src/platform/postgres/upgrade.test.ts': {
    'The database accepts a link of any company': {
      file: 'migrations/0033_owners.sql',
      change: [
        'add foreign key (channel_id, company_id) references channel_companies (channel_id, company_id);',
        'add check (company_id > 0);',
      ],
      failing:
        'assigns channels of 1.0.0 to the company of their links and dialogues, and asks an admin where they disagree',
    },
  },
};
