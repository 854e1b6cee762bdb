/** Mutations of identity checks: sign-in, sessions, second factors, confirmation. */
import type { MutationsByTest } from './mutation.ts';

export const IDENTITY_MUTATIONS: MutationsByTest = {
  'src/access/signIn.test.ts': {
    'A sign-in in progress survives the change of its password': {
      file: 'src/access/store/sessions.ts',
      removed: 'if (!(await lockIfPasswordUnchanged(tx, operatorId, passwordHash))) return false;',
      failing: 'ends a session opened with the old password while it was changed',
    },
    'A console that is left open extends its session': {
      file: 'src/access/session.ts',
      removed: "use === 'background' || ",
      failing: "does not extend a session by the console's own polling",
    },
    'A browser that signs in again leaves its former session open': {
      file: 'src/access/store/sessions.ts',
      disabled: 'if (former !== null) await',
      failing: "ends the browser's former session at sign-in, and allows twenty sessions",
    },
    'An operator can have any number of sessions': {
      file: 'src/access/store/sessions.ts',
      change: ['const MAX_SESSIONS = 20;', 'const MAX_SESSIONS = 2000;'],
      failing: "ends the browser's former session at sign-in, and allows twenty sessions",
    },
  },
  'src/access/accounts.test.ts': {
    'A login can mix alphabets': {
      file: 'src/access/login.ts',
      disabled: 'if (!SINGLE_SCRIPT_PATTERNS.some((pattern) => pattern.test(login)))',
      failing: 'refuses a login that looks like another one',
    },
    'A login can contain invisible characters': {
      file: 'src/access/login.ts',
      disabled: 'if (INVISIBLE.test(login))',
      failing: 'refuses a login that looks like another one',
    },
    'Logins that look alike are accepted': {
      file: 'migrations/0034_sign_in.sql',
      change: ['create unique index operators_login_key', 'create index operators_login_key'],
      failing: 'refuses a login that looks like another one',
    },
    'A common password is accepted': {
      file: 'src/access/newPassword.ts',
      removed: '|| commonPasswords().includes(`\\n${normalized}\\n`)',
      failing: 'refuses common passwords, whether set by an admin or by the operator',
    },
    'A password that somebody else has set can be kept': {
      file: 'src/platform/http/caller.ts',
      disabled: 'if (caller.mustChangePassword && !choosingPassword)',
      failing: 'requires a new password at sign-in when somebody else set the current one',
    },
  },
  'src/access/secondFactors.test.ts': {
    'The password alone opens a session although a second factor is due': {
      file: 'src/access/store/sessions.ts',
      removed: ' and not s.second_factor_due',
      failing: 'asks for a code after the password, which alone opens no session',
    },
    'A code of the authenticator is accepted twice': {
      file: 'src/access/totp.ts',
      change: ['(lastStep === null || step > lastStep)', '(lastStep === null || step > 0)'],
      failing: 'activates with the first code, and accepts no code twice, even at once',
    },
    'Codes can be guessed without a limit': {
      file: 'src/access/secondStep.ts',
      change: ["'passkey' in step ? false :", "'passkey' in step &&"],
      failing: 'limits guesses of codes like guesses of passwords, over all sign-ins',
    },
    'A required second factor can be skipped': {
      file: 'src/platform/http/caller.ts',
      disabled: 'if (caller.mustEnrol && !enrolling && !choosingPassword)',
      failing: 'requires adding a second factor first, and locks no admin out',
    },
    'Credentials change without a confirmation': {
      file: 'src/platform/http/caller.ts',
      change: ['performance.now() >= caller.reauthenticatedUntil', 'caller.reauthenticatedUntil < 0'],
      failing: 'asks for the password again after 15 minutes',
    },
    'Failed sign-ins are not recorded': {
      file: 'src/access/authEvents.ts',
      change: ['await recordAuditEntry(tx, {', 'if (operator !== null) await recordAuditEntry(tx, {'],
      failing: 'records sign-ins, failures, lock-outs and logouts, never a typed unknown login',
    },
    'An operator can end the sessions of others': {
      file: 'src/access/store/sessions.ts',
      change: ['operator_id = ${operatorId} returning 1', '${operatorId} > 0 returning 1'],
      failing: 'lists sessions with their origin, and ends one or all others',
    },
  },
  'src/platform/http/socketAccess.test.ts': {
    'Refusals are not logged': {
      file: 'src/platform/http/refusalLog.ts',
      disabled: 'if (code !== null && LOGGED.has(status))',
      failing: 'logs who was refused what and why, never the content',
    },
    'An idle socket stays open when its session ends': {
      file: 'src/platform/http/server.ts',
      removed: 'closeWhenRevoked(options.accessControl.onChange, call.stillAllowed, socket);',
      failing: 'closes only the idle socket of the operator concerned: its operator has signed out',
    },
  },
  'src/platform/http/refusalLog.test.ts': {
    'Refusals flood the log': {
      change: ['lines.has(own) || lines.size < MOST_LINES', 'lines.has(own) || MOST_LINES > 0'],
      failing: 'bounds the refusal log however many addresses there are',
    },
  },
  'src/platform/http/revocation.test.ts': {
    'A queued request runs with rights that were revoked meanwhile': {
      file: 'src/platform/http/server.ts',
      change: ['(await callerNow({ ...use, caller: authorized.caller }))', 'authorized.caller'],
      failing: 'checks access again when a queued request starts',
    },
    'Data is returned although access was revoked while it was read': {
      file: 'src/platform/http/server.ts',
      disabled: "if (endpoint.method === 'GET' && answer !== 'answered') await",
      failing: 'checks access again before it returns what was being read',
    },
    'A list is returned although the caller can access less than when it was read': {
      disabled: 'if (references.size === 0 && reachesLess(now, entered.caller))',
      failing: 'checks access again before it returns what was being read',
    },
    'A plan is returned although access was revoked': {
      file: 'src/outreach/rehearsalRoutes.ts',
      removed: '      await requireStill();\n',
      failing: 'ends what is under way',
    },
    'A change is committed although the session has ended': {
      file: 'src/access/lockRights.ts',
      disabled: 'if (role === null) throw',
      failing: 'ends what is under way',
    },
    "An admin's change is committed although they were demoted": {
      file: 'src/access/lockRights.ts',
      disabled: 'if (admin) throw',
      failing: "refuses a demoted admin's change that was under way",
    },
    'A change is committed although the company is lost': {
      file: 'src/access/lockRights.ts',
      disabled: 'if (await lostAmong(tx, id, { had: had ?? [], products, companies }))',
      failing: 'ends what is under way',
    },
    'Rights can be revoked while a change is committed': {
      file: 'src/access/lockRights.ts',
      removed: 'await lockOperatorShared(tx, id);',
      failing: 'waits for a change that is about to be committed',
    },
    'The download of the audit log continues although access was revoked': {
      file: 'src/access/auditRoutes.ts',
      removed: '    await requireStill();\n',
      failing: 'the download of the audit log ends',
    },
  },
};
