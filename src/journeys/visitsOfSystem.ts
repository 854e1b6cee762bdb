/** The system's page: each of its tabs, with rows and without. */
import type { Page } from '@playwright/test';
import { see } from './signIn.ts';
import { answer, button, change, dialog, fail, plain, type Visit } from './visit.ts';
import { securityVisits } from './visitsOfSecurity.ts';

const tab = (key: string, more = ''): Visit => ({
  name: `system-${key}`,
  page: 'system',
  address: () => `/?page=system&tab=${key}${more}`,
});

const JOBS = {
  items: [
    {
      id: 1,
      task: 'deliver',
      key: 'deliver:12',
      state: 'failed',
      attempts: 3,
      max_attempts: 3,
      last_error: 'The vendor closed the connection',
      run_at: '2026-01-02T03:04:05.000Z',
      created_at: '2026-01-02T03:04:05.000Z',
      node: null,
      payload: 'dialogue 12',
    },
  ],
  total: 1,
  page: 1,
  limit: 25,
};
const LANES = { node: 'here', width: 8, lanes: [{ name: 'send 1', running: 8, waiting: 240 }] };

async function openRowMenu(page: Page, item: string): Promise<void> {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

export const systemVisits: readonly Visit[] = [
  ...securityVisits,
  { ...plain('system'), shows: (page) => page.getByRole('region', { name: 'Vendors' }) },
  {
    ...plain('system'),
    name: 'system-health-failed',
    before: (page) => fail(page, '/v1/system/health'),
    shows: (page) => page.getByRole('alert'),
  },
  {
    ...plain('system'),
    name: 'system-for-admins',
    before: (page) => change(page, '/v1/auth/validate', { role: 'member' }),
    shows: (page) => page.getByText('For admins only'),
  },
  {
    ...plain('dashboard'),
    name: 'dashboard-system-hint',
    before: (page) => change(page, '/v1/system/health', { level: 'bad' }),
    shows: (page) => page.getByRole('link', { name: 'Open System' }),
  },
  tab('messages'),
  {
    ...tab('messages'),
    name: 'system-messages-retry',
    act: async (page) => {
      await button(page, 'Retry for all matching').click();
      await see(dialog(page, 'Send again').getByRole('button', { name: /^Send \d+ again$/ })).toBeVisible();
    },
  },
  {
    ...tab('messages', '&search=nobody+said+this'),
    name: 'system-messages-empty',
    shows: (page) => page.getByText('No messages found'),
  },
  {
    ...tab('jobs'),
    before: async (page) => {
      const undo = [await answer(page, '/v1/jobs/', JOBS), await answer(page, '/v1/jobs/lanes', LANES)];
      return async () => void (await Promise.all(undo.map((one) => one())));
    },
  },
  {
    ...tab('jobs', '&search=no+such+job'),
    name: 'system-jobs-empty',
    shows: (page) => page.getByText('No jobs found'),
  },
  {
    ...tab('jobs'),
    name: 'system-jobs-remove',
    before: (page) => answer(page, '/v1/jobs/', JOBS),
    act: async (page) => {
      await openRowMenu(page, 'Remove');
      await see(dialog(page, 'Remove deliver:12')).toBeVisible();
    },
  },
  tab('audit'),
  {
    ...tab('audit', '&noun=operator&action=created'),
    name: 'system-audit-diff',
    act: async (page) => {
      await openRowMenu(page, 'What changed');
      await see(dialog(page, 'What changed').getByRole('region', { name: 'Changes' })).toBeVisible();
    },
  },
  {
    ...tab('audit', '&search=nothingofthekind'),
    name: 'system-audit-empty',
    shows: (page) => page.getByText('No entries of the trail found'),
  },
  tab('operators'),
  {
    ...tab('operators'),
    name: 'system-operators-form',
    act: async (page) => {
      await button(page, 'New operator').click();
      await see(dialog(page, 'New operator').getByLabel(/^Password/)).toBeVisible();
    },
  },
  {
    ...tab('operators', '&is_active=false'),
    name: 'system-operators-empty',
    shows: (page) => page.getByText('No operators found'),
  },
];
