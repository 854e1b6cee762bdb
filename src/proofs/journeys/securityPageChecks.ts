/** Page checks of sign-in methods, the operator's own account and channel ownership. */
import type { OwnSession, SecondFactors } from '../../access/secondFactorContract.ts';
import type { SystemHealth } from '../../monitoring/contract.ts';
import { button, role, text } from './find.ts';
import { check, checkOutside, type PageCheck } from './pageCheck.ts';
import { openRowMenu, press, shows } from './steps.ts';
import { answer, change, signOut } from './stubs.ts';

const FACTORS = '/v1/auth/second-factors';

const DAY_MS = 86_400_000;
/** Return the instant this many days before the real clock's now. */
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

const NO_FACTORS: SecondFactors = {
  required: false,
  authenticator: null,
  passkeys: [],
  recovery_codes: 0,
  wrong_codes: null,
};
const TWO_FACTORS: SecondFactors = {
  required: false,
  authenticator: { confirmed_at: daysAgo(40) },
  passkeys: [
    { id: 1, name: 'Laptop', created_at: daysAgo(30), last_used_at: daysAgo(1) },
    { id: 2, name: 'Security key in the office safe, second drawer', created_at: daysAgo(20), last_used_at: null },
  ],
  recovery_codes: 9,
  wrong_codes: null,
};
const WRONG_CODES: SecondFactors['wrong_codes'] = {
  count: 27,
  first_at: daysAgo(9),
  last_at: daysAgo(1),
  last_network: '2001:db8:85a3:8d3::/64',
};
const open = { created_at: daysAgo(6), last_seen_at: daysAgo(1) };
const SESSIONS: OwnSession[] = [
  { ...open, id: 2, network: '2001:db8:85a3::/48', browser: 'Chrome on Windows', current: true },
  { ...open, id: 1, network: null, browser: null, current: false },
];
const CODES = Array.from({ length: 10 }, (_, index) => `ABCD-2345-EFGH-67${'ABCDEFGHIJ'[index]}7`);
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const AUTHENTICATOR = {
  secret: SECRET,
  uri: `otpauth://totp/Rapport:demo?secret=${SECRET}&issuer=Rapport&algorithm=SHA1&digits=6&period=30`,
};

const USER = { company_id: 1, company_name: 'Boats and Harbour Equipment Ltd', products: 2, dialogues: 214 };
const WITHOUT_OWNER: SystemHealth['without_owner'] = [
  { kind: 'channel', channel_id: 1, name: 'WhatsApp', vendor: 'wazzup24', used_by: [USER, USER], level: 'look' },
  { kind: 'account', channel_id: 1, name: '…7f3a', vendor: 'chatpush', used_by: [], level: 'look' },
];

/** Check the second step of a sign-in for an operator who has all three methods. */
const secondStep = (name: string, ...act: NonNullable<PageCheck['act']>): PageCheck =>
  checkOutside(`security-login-${name}`, '/auth/login', {
    prepare: signOut,
    stubs: [
      answer('/v1/auth/login', { second_factors: ['authenticator', 'passkey', 'recovery_code'] }, { status: 202 }),
    ],
    ready: text(/^This is a sandbox/),
    act: [press('Log in'), shows(button('Continue with a passkey')), ...act],
  });

/** Check the account of an operator who has all methods, unless `factors` differ. */
const account = (
  name: string,
  factors: Partial<SecondFactors>,
  { stubs = [], act = [] }: Pick<PageCheck, 'stubs' | 'act'> = {},
): PageCheck =>
  check('account', '', {
    name: `security-account-${name}`,
    stubs: [answer(FACTORS, { ...TWO_FACTORS, ...factors }), answer('/v1/auth/sessions', SESSIONS), ...stubs],
    ready: text('Chrome on Windows'),
    act,
  });

const NOT_CONFIRMED = { detail: 'Confirm your identity with your password or a passkey first.' };
const proofRequired = answer(`${FACTORS}/authenticator`, NOT_CONFIRMED, {
  status: 403,
  headers: { 'x-refusal': 'proof_required' },
});

export const securityPageChecks: readonly PageCheck[] = [
  secondStep('passkey'),
  secondStep('code', press('Use the authenticator app')),
  checkOutside('security-enrolment', '/', {
    stubs: [
      change('/v1/auth/validate', { second_factor_missing: true }),
      answer(FACTORS, { ...NO_FACTORS, required: true }),
    ],
    ready: role('heading', 'Set up two-factor sign-in'),
  }),
  account('empty', NO_FACTORS),
  account('set-up', {}),
  account('wrong-codes', { wrong_codes: WRONG_CODES }, { act: [shows(button('It was me'))] }),
  check('crm-companies', '', {
    name: 'security-wrong-codes',
    stubs: [
      change('/v1/auth/validate', { second_factor_guessed: true }),
      answer(FACTORS, { ...TWO_FACTORS, wrong_codes: WRONG_CODES }),
    ],
    ready: text('Your password may be known to somebody else'),
  }),
  account('authenticator', NO_FACTORS, {
    stubs: [answer(`${FACTORS}/authenticator`, AUTHENTICATOR)],
    act: [press('Set up authenticator app'), shows(role('img', 'QR code'))],
  }),
  account(
    'recovery-codes',
    {},
    {
      stubs: [answer(`${FACTORS}/recovery-codes`, { recovery_codes: CODES })],
      act: [press('Create new recovery codes'), shows(text('ABCD-2345-EFGH-67J7'))],
    },
  ),
  account(
    'confirm',
    { authenticator: null },
    { stubs: [proofRequired], act: [press('Set up authenticator app'), shows(button('Use passkey'))] },
  ),
  check('system', '', {
    name: 'security-without-owner',
    stubs: [change('/v1/system/health', { without_owner: WITHOUT_OWNER })],
    ready: role('region', 'Channels without an owner'),
  }),
  check('channels', '', {
    name: 'security-channel-owner',
    act: [openRowMenu('Owner and sharing'), shows(button('Save'))],
  }),
];
