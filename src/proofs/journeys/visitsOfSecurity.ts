/** Page checks of sign-in methods, the operator's own account, channel ownership, and messages under overload. */
import type { Page } from '@playwright/test';
import { listOwnSessions, type OwnSession, type SecondFactors } from '../../access/secondFactorContract.ts';
import type { SystemHealth } from '../../monitoring/contract.ts';
import type { DemoIds } from './demoData.ts';
import { callApi } from './journeyApi.ts';
import { all, answer, button, change, dialog, heading, type PageCheck, signOut, simplePageCheck } from './pageCheck.ts';
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

/** Check the second step of a sign-in for an operator who has all three methods. */
const secondStep = (name: string, act?: (page: Page) => Promise<void>): PageCheck => ({
  name: `security-login-${name}`,
  page: null,
  address: () => '/auth/login',
  prepare: (page) => all(signOut(page), answer(page, LOGIN, WAYS, { status: 202 })),
  readyWhen: (page) => page.getByText(/^This is a sandbox/),
  act: async (page) => {
    await button(page, 'Log in').click();
    await expectPage(button(page, 'Continue with a passkey')).toBeVisible();
    await act?.(page);
  },
});

type Answers = (page: Page) => readonly Promise<() => Promise<void>>[];

/** Check the account of an operator who has all methods, unless the answer is changed. */
const account = (
  name: string,
  {
    factors = {},
    answers = () => [],
    act,
  }: { factors?: Partial<SecondFactors>; answers?: Answers; act?: PageCheck['act'] } = {},
): PageCheck => ({
  name: `security-account-${name}`,
  page: 'account',
  address: () => '/?page=account',
  prepare: async (page, demo) => {
    const day = await clockOf(page, demo);
    return all(
      answer(page, FACTORS, { ...twoFactors(day), ...factors }),
      answer(page, '/v1/auth/sessions', sessions(day)),
      ...answers(page),
    );
  },
  readyWhen: (page) => page.getByText('Chrome on Windows'),
  ...(act && { act }),
});

export const securityVisits: readonly PageCheck[] = [
  secondStep('passkey'),
  secondStep('code', async (page) => {
    await button(page, 'Use the authenticator app').click();
    await expectPage(page.getByLabel('Code from your authenticator app')).toBeFocused();
  }),
  secondStep('recovery-code', async (page) => {
    await answer(page, `${LOGIN}/second-factor`, 'The second factor is wrong, or was used before.', { status: 401 });
    await button(page, 'Use a recovery code').click();
    await page.getByLabel('Recovery code').fill('ABCD-2345-EFGH-6789');
    await button(page, 'Continue').click();
    await expectPage(page.getByRole('alert')).toBeVisible();
  }),
  {
    name: 'security-login-too-many',
    page: null,
    address: () => '/auth/login',
    prepare: (page) =>
      all(
        signOut(page),
        answer(page, LOGIN, 'Too many wrong logins. Please try again in 840 s.', {
          status: 429,
          headers: { 'retry-after': '840' },
        }),
      ),
    readyWhen: (page) => page.getByText(/^This is a sandbox/),
    act: async (page) => {
      await button(page, 'Log in').click();
      await expectPage(page.getByRole('alert')).toBeVisible();
    },
  },
  {
    name: 'security-enrolment',
    page: null,
    address: () => '/',
    prepare: (page) =>
      all(
        change(page, '/v1/auth/validate', { second_factor_missing: true }),
        answer(page, FACTORS, { ...NO_FACTORS, required: true }),
      ),
    readyWhen: heading('Set up two-factor sign-in'),
  },
  account('empty', { factors: NO_FACTORS }),
  account('set-up'),
  account('authenticator', {
    factors: NO_FACTORS,
    answers: (page) => [answer(page, `${FACTORS}/authenticator`, AUTHENTICATOR)],
    act: async (page) => {
      await button(page, 'Set up authenticator app').click();
      await expectPage(dialog(page, 'Set up authenticator app').getByRole('img', { name: 'QR code' })).toBeVisible();
    },
  }),
  account('passkey', {
    act: async (page) => {
      await button(page, 'Add passkey').click();
      await expectPage(dialog(page, 'Add passkey').getByLabel('Name')).toBeVisible();
    },
  }),
  account('recovery-codes', {
    answers: (page) => [answer(page, `${FACTORS}/recovery-codes`, { recovery_codes: CODES })],
    act: async (page) => {
      await button(page, 'Create new recovery codes').click();
      await expectPage(dialog(page, 'Recovery codes').getByRole('listitem')).toHaveCount(10);
    },
  }),
  account('confirm', {
    factors: { authenticator: null },
    answers: (page) => [
      answer(
        page,
        `${FACTORS}/authenticator`,
        { detail: 'Confirm your identity with your password or a passkey first.' },
        { status: 403, headers: { 'x-refusal': 'proof_required' } },
      ),
      answer(page, '/v1/auth/confirm', { detail: 'The current password is wrong.' }, { status: 409 }),
    ],
    act: async (page) => {
      await button(page, 'Set up authenticator app').click();
      const confirm = dialog(page, 'Confirm your identity');
      await expectPage(confirm.getByRole('button', { name: 'Use passkey' })).toBeVisible();
      await confirm.getByLabel('Password', { exact: true }).fill('wrong');
      await confirm.getByRole('button', { name: 'Continue' }).click();
      await expectPage(confirm.getByText('The current password is wrong.')).toBeVisible();
    },
  }),
  account('remove', {
    act: async (page) => {
      await button(page, 'Remove Laptop').click();
      await expectPage(dialog(page, 'Remove passkey')).toBeVisible();
    },
  }),
  account('password', {
    act: async (page) => {
      await button(page, 'Change password').click();
      await expectPage(dialog(page, 'Change password')).toBeVisible();
    },
  }),
  account('refused', {
    answers: (page) => [answer(page, '/v1/auth/sessions/2', { detail: TOO_MANY }, { status: 429 })],
    act: async (page) => {
      await button(page, 'End session').click();
      await expectPage(page.getByText(TOO_MANY)).toBeVisible();
    },
  }),
  {
    ...simplePageCheck('crm-leads'),
    name: 'security-overloaded',
    prepare: (page) => answer(page, '/v1/leads/', { detail: OVERLOADED, request_id: 'req-1' }, { status: 503 }),
    readyWhen: (page) => page.getByRole('alert'),
  },
  {
    ...simplePageCheck('system'),
    name: 'security-without-owner',
    prepare: (page) => change(page, '/v1/system/health', { without_owner: WITHOUT_OWNER }),
    readyWhen: (page) => page.getByRole('region', { name: 'Channels without an owner' }),
  },
  {
    ...simplePageCheck('channels'),
    name: 'security-channel-owner',
    act: async (page) => {
      await page
        .getByRole('button', { name: /^Actions for/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Owner and sharing' }).click();
      await expectPage(page.getByRole('dialog').getByRole('button', { name: 'Save' })).toBeVisible();
    },
  },
];
