/** Mutations of identity checks: sign-in, sessions, second factors, confirmation. */
import type { MutationsByTest } from './mutation.ts';

export const IDENTITY_MUTATIONS: MutationsByTest = {
  'src/access/signIn.test.ts': {
    'A login that was under way survives the change of its password': {
      file: 'src/access/store/sessions.ts',
      change: ['if (!(await lockIfPasswordUnchanged(tx, operatorId, passwordHash))) return false;', ''],
      failing: 'ends a session opened with the old password while it was changed',
    },
    'A console that was left open keeps its session in use': {
      file: 'src/access/session.ts',
      change: ["use === 'background' || (touchedAt", '(touchedAt'],
      failing: "does not extend a session by the console's own polling",
    },
    'A browser that signs in again leaves its old session open': {
      file: 'src/access/store/sessions.ts',
      change: ['if (former !== null) await', 'if (former === null) await'],
      failing: "ends the browser's former session at sign-in, and allows twenty sessions",
    },
    'An operator has as many sessions as he opens': {
      file: 'src/access/store/sessions.ts',
      change: ['const MAX_SESSIONS = 20;', 'const MAX_SESSIONS = 2000;'],
      failing: "ends the browser's former session at sign-in, and allows twenty sessions",
    },
  },
  'src/access/accounts.test.ts': {
    'A login may mix alphabets': {
      file: 'src/access/login.ts',
      change: [
        'if (!SINGLE_SCRIPT_PATTERNS.some((pattern) => pattern.test(login)))',
        'if (SINGLE_SCRIPT_PATTERNS.length === 0)',
      ],
      failing: 'refuses a login that looks like another one',
    },
    'A login may have characters that are not seen': {
      file: 'src/access/login.ts',
      change: ['if (INVISIBLE.test(login))', "if (login === '')"],
      failing: 'refuses a login that looks like another one',
    },
    'Logins that look alike are two': {
      file: 'migrations/0034_sign_in.sql',
      change: ['create unique index operators_login_key', 'create index operators_login_key'],
      failing: 'refuses a login that looks like another one',
    },
    'A common password is taken': {
      file: 'src/access/newPassword.ts',
      change: ['|| commonPasswords().includes(`\\n${normalized}\\n`)', ''],
      failing: 'refuses common passwords, whether set by an admin or by the operator',
    },
    'A password that somebody else has set is kept': {
      file: 'src/platform/http/caller.ts',
      change: [
        'if (caller.mustChangePassword && !choosingPassword)',
        'if (caller.mustChangePassword && choosingPassword && caller.id < 0)',
      ],
      failing: 'requires a new password at sign-in when somebody else set the current one',
    },
  },
  'src/access/secondFactors.test.ts': {
    'The password alone opens a session where a second factor is due': {
      file: 'src/access/store/sessions.ts',
      change: [' and not s.second_factor_due`', '`'],
      failing: 'asks for a code after the password, which alone opens no session',
    },
    'A code of the authenticator is taken twice': {
      file: 'src/access/totp.ts',
      change: ['(lastStep === null || step > lastStep)', '(lastStep === null || step > 0)'],
      failing: 'activates with the first code, and accepts no code twice, even at once',
    },
    'Codes are guessed without a limit': {
      file: 'src/access/secondStep.ts',
      change: [
        "'passkey' in step ? false : await countAttempt(context, attempts, everywhere)",
        "'passkey' in step && (await countAttempt(context, attempts, everywhere))",
      ],
      failing: 'limits guesses of codes like guesses of passwords, over all sign-ins',
    },
    'A required second factor is not waited for': {
      file: 'src/platform/http/caller.ts',
      change: [
        'if (caller.mustEnrol && !enrolling && !choosingPassword)',
        'if (caller.mustEnrol && enrolling && caller.id < 0)',
      ],
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
    'One ends the sessions of others': {
      file: 'src/access/store/sessions.ts',
      change: [
        'where id = ${id} and operator_id = ${operatorId} returning 1',
        'where id = ${id} and ${operatorId} > 0 returning 1',
      ],
      failing: 'lists sessions with their origin, and ends one or all others',
    },
  },
  'src/platform/http/socketAccess.test.ts': {
    'Refusals are not in the log': {
      file: 'src/platform/http/refusalLog.ts',
      change: ['if (code !== null && LOGGED.has(status))', 'if (code === null && LOGGED.has(status))'],
      failing: 'logs who was refused what and why, never the content',
    },
    'An idle socket stays open when its session ends': {
      file: 'src/platform/http/server.ts',
      change: ['closeWhenRevoked(options.accessControl.onChange, call.stillAllowed, socket);', ''],
      failing: 'closes only the idle socket of the operator concerned: its operator has signed out',
    },
  },
  'src/platform/http/refusalLog.test.ts': {
    'Refusals fill the log': {
      file: 'src/platform/http/refusalLog.ts',
      change: ['lines.has(own) || lines.size < MOST_LINES', 'lines.has(own) || MOST_LINES > 0'],
      failing: 'bounds the refusal log however many addresses there are',
    },
  },
  'src/platform/http/revocation.test.ts': {
    'Who has lost his rights while his request waited is served as he was': {
      file: 'src/platform/http/server.ts',
      change: [
        'const caller = authorized.caller && (await callerNow({ ...use, caller: authorized.caller }));',
        'const caller = callerNow.length > 0 ? authorized.caller : null;',
      ],
      failing: 'checks access again when a queued request starts',
    },
    'What was being read is shown to who may not see it any more': {
      file: 'src/platform/http/server.ts',
      change: [
        "if (endpoint.method === 'GET' && answer !== 'answered') await",
        "if (endpoint.method === 'GET' && answer === 'answered') await",
      ],
      failing: 'checks access again before it returns what was being read',
    },
    'A list of all that one reached is shown to who reaches less': {
      file: 'src/platform/http/revocation.ts',
      change: [
        'if (references.size === 0 && reachesLess(now, entered.caller))',
        'if (references.size < 0 && reachesLess(now, entered.caller))',
      ],
      failing: 'checks access again before it returns what was being read',
    },
    'A plan is shown to who may not see it any more': {
      file: 'src/outreach/rehearsalRoutes.ts',
      change: [
        `      await requireStill();
`,
        `      void requireStill;
`,
      ],
      failing: 'ends what is under way',
    },
    'What is done counts though the session has ended': {
      file: 'src/access/lockRights.ts',
      change: ['if (role === null) throw', 'if (id < 0) throw'],
      failing: 'ends what is under way',
    },
    'What is done as an admin counts though he is none any more': {
      file: 'src/access/lockRights.ts',
      change: ['if (admin) throw', 'if (id < 0 && admin) throw'],
      failing: "refuses a demoted admin's change that was under way",
    },
    'What is done counts though the company is lost': {
      file: 'src/access/lockRights.ts',
      change: [
        'if (await lostAmong(tx, id, { had: had ?? [], products, companies }))',
        'if (lostAmong.length < 0 && products.length > companies.length)',
      ],
      failing: 'ends what is under way',
    },
    'Rights are taken away under what is about to be committed': {
      file: 'src/access/lockRights.ts',
      change: ['await lockOperatorShared(tx, id);', 'void lockOperatorShared;'],
      failing: 'waits for a change that is about to be committed',
    },
    'The audit log is downloaded to its end by who may not read it any more': {
      file: 'src/access/auditRoutes.ts',
      change: [
        `    await requireStill();
`,
        `    void requireStill;
`,
      ],
      failing: 'the download of the audit log ends',
    },
  },
};
