/** Mutations of who somebody is: sign-in, sessions, second factors, confirmation. */
import type { Sabotage } from './list.ts';

const SIGN_IN = 'src/operators/signIn.test.ts';
const ACCOUNTS = 'src/operators/accounts.test.ts';

export const OF_IDENTITY: readonly Sabotage[] = [
  {
    name: 'A login that was under way survives the change of its password',
    file: 'src/operators/store/sessions.ts',
    from: 'if (!(await holdUnchanged(tx, operatorId, passwordHash))) return false;',
    to: '',
    test: SIGN_IN,
    named: 'that a login opens while its password is changed ends with the old password',
  },
  {
    name: 'A console that was left open keeps its session in use',
    file: 'src/operators/session.ts',
    from: "use === 'active' && (found",
    to: '(found',
    test: SIGN_IN,
    named: 'is not kept in use by what a console asks by itself',
  },
  {
    name: 'A browser that signs in again leaves its old session open',
    file: 'src/operators/store/sessions.ts',
    from: 'if (former !== null) await',
    to: 'if (former === null) await',
    test: SIGN_IN,
    named: 'ends when its browser signs in again',
  },
  {
    name: 'An operator has as many sessions as he opens',
    file: 'src/operators/store/sessions.ts',
    from: 'const MOST_SESSIONS = 20;',
    to: 'const MOST_SESSIONS = 2000;',
    test: SIGN_IN,
    named: 'is one of twenty at most',
  },
  {
    name: 'A login may mix alphabets',
    file: 'src/operators/login.ts',
    from: 'if (!OF_ONE_SCRIPT.some((pattern) => pattern.test(login)))',
    to: 'if (OF_ONE_SCRIPT.length === 0)',
    test: ACCOUNTS,
    named: 'has a login that passes for no other one',
  },
  {
    name: 'A login may have characters that are not seen',
    file: 'src/operators/login.ts',
    from: 'if (UNPRINTED.test(login))',
    to: "if (login === '')",
    test: ACCOUNTS,
    named: 'has a login that passes for no other one',
  },
  {
    name: 'Logins that look alike are two',
    file: 'migrations/0036_sign_in.sql',
    from: 'create unique index operators_login_key',
    to: 'create index operators_login_key',
    test: ACCOUNTS,
    named: 'has a login that passes for no other one',
  },
  {
    name: 'A common password is taken',
    file: 'src/operators/newPassword.ts',
    from: '|| commonest().includes(`\\n${folded}\\n`)',
    to: '',
    test: ACCOUNTS,
    named: 'gets no password that is guessed first',
  },
  {
    name: 'An idle socket stays open when its session ends',
    file: 'src/platform/http/server.ts',
    from: 'closeWhenRevoked(options.gate.onChange, call.stillAllowed, socket);',
    to: '',
    test: 'src/platform/http/doors.test.ts',
    named: 'is closed, and nobody else’s: its operator has signed out',
  },
];
