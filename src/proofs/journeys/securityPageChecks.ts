/** Page checks of sign-in methods, the operator's own account, channel ownership, and messages under overload. */
import type { Page } from '@playwright/test';
import { listOwnSessions, type OwnSession, type SecondFactors } from '../../access/secondFactorContract.ts';
import type { SystemHealth } from '../../monitoring/contract.ts';
import type { DemoIds } from './demoData.ts';
import { callApi } from './journeyApi.ts';
import {
  answer,
  button,
  change,
  check,
  checkOutside,
  click,
  dialog,
  openRowMenu,
  type PageCheck,
  press,
  role,
  shows,
  signOut,
  text,
  within,
} from './pageCheck.ts';
import { expectPage } from './signIn.ts';

const LOGIN = '/v1/auth/login';
const FACTORS = '/v1/auth/second-factors';
const WAYS = { second_factors: ['authenticator', 'passkey', 'recovery_code'] };
const TOO_MANY = 'Too many of your requests are under way. Please try again in a moment.';
const OVERLOADED = 'The server has more to do than it can. Please try again in a moment.';

/** Return the instant this many days before the console's now, which a sandbox may have moved. */
type Ago = (days: number) => string;
/** The current session was last seen now. */
async function clockOf(page: Page, { url }: DemoIds): Promise<Ago> {
  const open = listOwnSessions.replies[200].parse(await callApi(page.context(), url, 'GET', listOwnSessions.path));
  const now = Math.max(...open.map(({ last_seen_at }) => Date.parse(last_seen_at)));
  return (days) => new Date(now - days * 86_400_000).toISOString();
}

const NO_FACTORS: SecondFactors = { required: false, authenticator: null, passkeys: [], recovery_codes: 0 };
const twoFactors = (day: Ago): SecondFactors => ({
  required: false,
  authenticator: { confirmed_at: day(40) },
  passkeys: [
    { id: 1, name: 'Laptop', created_at: day(30), last_used_at: day(1) },
    { id: 2, name: 'Security key in the office safe, second drawer', created_at: day(20), last_used_at: null },
  ],
  recovery_codes: 9,
});
const sessions = (day: Ago): OwnSession[] => [
  {
    id: 3,
    created_at: day(0.1),
    last_seen_at: day(0),
    network: '203.0.113.0/24',
    browser: 'Chrome on Windows',
    current: true,
  },
  {
    id: 2,
    created_at: day(2),
    last_seen_at: day(1),
    network: '2001:db8:85a3::/48',
    browser: 'Safari on iPhone',
    current: false,
  },
  { id: 1, created_at: day(6), last_seen_at: day(5), network: null, browser: null, current: false },
];
const CODES = Array.from({ length: 10 }, (_, index) => `ABCD-2345-EFGH-67${'ABCDEFGHIJ'[index]}7`);
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const AUTHENTICATOR = {
  secret: SECRET,
  uri: `otpauth://totp/Rapport:demo?secret=${SECRET}&issuer=Rapport&algorithm=SHA1&digits=6&period=30`,
};

const WITHOUT_OWNER: SystemHealth['without_owner'] = [
  {
    kind: 'channel',
    channel_id: 1,
    name: 'WhatsApp, sales',
    vendor: 'wazzup24',
    used_by: [
      { company_id: 1, company_name: 'Lindgren Studio', products: 2, dialogues: 214 },
      { company_id: 2, company_name: 'Boats and Harbour Equipment Ltd', products: 1, dialogues: 1 },
    ],
    level: 'look',
  },
  { kind: 'account', channel_id: 1, name: '…7f3a', vendor: 'chatpush', used_by: [], level: 'look' },
];

const loginReady = text(/^This is a sandbox/);

/** Check the second step of a sign-in for an operator who has all three methods. */
const secondStep = (name: string, ...act: NonNullable<PageCheck['act']>): PageCheck =>
  checkOutside(`security-login-${name}`, '/auth/login', {
    prepare: signOut,
    stubs: [answer(LOGIN, WAYS, { status: 202 })],
    ready: loginReady,
    act: [press('Log in'), shows(button('Continue with a passkey')), ...act],
  });

interface AccountOptions extends Pick<PageCheck, 'stubs' | 'act'> {
  readonly factors?: Partial<SecondFactors>;
}

/** Check the account of an operator who has all methods, unless `factors` differ. */
const account = (name: string, { factors = {}, stubs = [], act = [] }: AccountOptions = {}): PageCheck => ({
  ...check('account', '', {
    stubs: [
      async (page, demo) => {
        const day = await clockOf(page, demo);
        await answer(FACTORS, { ...twoFactors(day), ...factors })(page);
        await answer('/v1/auth/sessions', sessions(day))(page);
      },
      ...stubs,
    ],
    ready: text('Chrome on Windows'),
    act,
  }),
  name: `security-account-${name}`,
});

const confirm = dialog('Confirm your identity');

export const securityPageChecks: readonly PageCheck[] = [
  secondStep('passkey'),
  secondStep('code', press('Use the authenticator app'), (page) =>
    expectPage(page.getByLabel('Code from your authenticator app')).toBeFocused(),
  ),
  secondStep(
    'recovery-code',
    (page) =>
      page.route(`**${LOGIN}/second-factor`, (route) =>
        route.fulfill({ status: 401, body: 'The second factor is wrong, or was used before.' }),
      ),
    press('Use a recovery code'),
    (page) => page.getByLabel('Recovery code').fill('ABCD-2345-EFGH-6789'),
    press('Continue'),
    shows(role('alert')),
  ),
  checkOutside('security-login-too-many', '/auth/login', {
    prepare: signOut,
    stubs: [
      answer(LOGIN, 'Too many wrong logins. Please try again in 840 s.', {
        status: 429,
        headers: { 'retry-after': '840' },
      }),
    ],
    ready: loginReady,
    act: [press('Log in'), shows(role('alert'))],
  }),
  checkOutside('security-enrolment', '/', {
    stubs: [
      change('/v1/auth/validate', { second_factor_missing: true }),
      answer(FACTORS, { ...NO_FACTORS, required: true }),
    ],
    ready: role('heading', 'Set up two-factor sign-in'),
  }),
  account('empty', { factors: NO_FACTORS }),
  account('set-up'),
  account('authenticator', {
    factors: NO_FACTORS,
    stubs: [answer(`${FACTORS}/authenticator`, AUTHENTICATOR)],
    act: [
      press('Set up authenticator app'),
      shows(within(dialog('Set up authenticator app'), (setUp) => setUp.getByRole('img', { name: 'QR code' }))),
    ],
  }),
  account('passkey', {
    act: [press('Add passkey'), shows(within(dialog('Add passkey'), (naming) => naming.getByLabel('Name')))],
  }),
  account('recovery-codes', {
    stubs: [answer(`${FACTORS}/recovery-codes`, { recovery_codes: CODES })],
    act: [
      press('Create new recovery codes'),
      (page) => expectPage(dialog('Recovery codes')(page).getByRole('listitem')).toHaveCount(10),
    ],
  }),
  account('confirm', {
    factors: { authenticator: null },
    stubs: [
      answer(
        `${FACTORS}/authenticator`,
        { detail: 'Confirm your identity with your password or a passkey first.' },
        { status: 403, headers: { 'x-refusal': 'proof_required' } },
      ),
      answer('/v1/auth/confirm', { detail: 'The current password is wrong.' }, { status: 409 }),
    ],
    act: [
      press('Set up authenticator app'),
      shows(within(confirm, (form) => form.getByRole('button', { name: 'Use passkey' }))),
      (page) => confirm(page).getByLabel('Password', { exact: true }).fill('wrong'),
      click(within(confirm, (form) => form.getByRole('button', { name: 'Continue' }))),
      shows(within(confirm, (form) => form.getByText('The current password is wrong.'))),
    ],
  }),
  account('remove', { act: [press('Remove Laptop'), shows(dialog('Remove passkey'))] }),
  account('password', { act: [press('Change password'), shows(dialog('Change password'))] }),
  account('refused', {
    stubs: [answer('/v1/auth/sessions/2', { detail: TOO_MANY }, { status: 429 })],
    act: [press('End session'), shows(text(TOO_MANY))],
  }),
  {
    ...check('crm-leads', '', {
      stubs: [answer('/v1/leads/', { detail: OVERLOADED, request_id: 'req-1' }, { status: 503 })],
      ready: role('alert'),
    }),
    name: 'security-overloaded',
  },
  {
    ...check('system', '', {
      stubs: [change('/v1/system/health', { without_owner: WITHOUT_OWNER })],
      ready: role('region', 'Channels without an owner'),
    }),
    name: 'security-without-owner',
  },
  {
    ...check('channels', '', {
      act: [
        openRowMenu('Owner and sharing'),
        shows(within(role('dialog'), (owner) => owner.getByRole('button', { name: 'Save' }))),
      ],
    }),
    name: 'security-channel-owner',
  },
];
