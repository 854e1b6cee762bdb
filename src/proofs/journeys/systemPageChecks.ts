/** The system's page: each of its tabs, with rows and without. */
import type { Page } from '@playwright/test';
import { answer, button, change, dialog, failCalls, type PageCheck, simplePageCheck } from './pageCheck.ts';
import { expectPage } from './signIn.ts';
import { securityVisits } from './visitsOfSecurity.ts';

const tab = (key: string, more = ''): PageCheck => ({
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
const CONCURRENCY = { node: 'here', width: 8, lanes: [{ name: 'send 1', running: 8, waiting: 240 }] };

async function openRowMenu(page: Page, item: string): Promise<void> {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

export const systemPageChecks: readonly PageCheck[] = [
  ...securityVisits,
  { ...simplePageCheck('system'), readyWhen: (page) => page.getByRole('region', { name: 'Vendors' }) },
  {
    ...simplePageCheck('system'),
    name: 'system-health-failed',
    prepare: (page) => failCalls(page, '/v1/system/health'),
    readyWhen: (page) => page.getByRole('alert'),
  },
  {
    ...simplePageCheck('system'),
    name: 'system-for-admins',
    prepare: (page) => change(page, '/v1/auth/validate', { role: 'member' }),
    readyWhen: (page) => page.getByText('For admins only'),
  },
  {
    ...simplePageCheck('dashboard'),
    name: 'dashboard-system-hint',
    prepare: (page) => change(page, '/v1/system/health', { level: 'bad' }),
    readyWhen: (page) => page.getByRole('link', { name: 'Open System' }),
  },
  tab('messages'),
  {
    ...tab('messages'),
    name: 'system-messages-retry',
    act: async (page) => {
      await button(page, 'Retry for all matching').click();
      await expectPage(dialog(page, 'Send again').getByRole('button', { name: /^Send \d+ again$/ })).toBeVisible();
    },
  },
  {
    ...tab('messages', '&search=nobody+said+this'),
    name: 'system-messages-empty',
    readyWhen: (page) => page.getByText('No messages found'),
  },
  {
    ...tab('jobs'),
    prepare: async (page) => {
      const undo = [await answer(page, '/v1/jobs/', JOBS), await answer(page, '/v1/jobs/lanes', CONCURRENCY)];
      return async () => void (await Promise.all(undo.map((one) => one())));
    },
  },
  {
    ...tab('jobs', '&search=no+such+job'),
    name: 'system-jobs-empty',
    readyWhen: (page) => page.getByText('No jobs found'),
  },
  {
    ...tab('jobs'),
    name: 'system-jobs-remove',
    prepare: (page) => answer(page, '/v1/jobs/', JOBS),
    act: async (page) => {
      await openRowMenu(page, 'Remove');
      await expectPage(dialog(page, 'Remove deliver:12')).toBeVisible();
    },
  },
  tab('audit'),
  {
    ...tab('audit', '&noun=operator&action=created'),
    name: 'system-audit-diff',
    act: async (page) => {
      await openRowMenu(page, 'What changed');
      await expectPage(dialog(page, 'What changed').getByRole('region', { name: 'Changes' })).toBeVisible();
    },
  },
  {
    ...tab('audit', '&search=nothingofthekind'),
    name: 'system-audit-empty',
    readyWhen: (page) => page.getByText('No entries of the trail found'),
  },
  tab('operators'),
  {
    ...tab('operators'),
    name: 'system-operators-form',
    act: async (page) => {
      await button(page, 'New operator').click();
      await expectPage(dialog(page, 'New operator').getByLabel(/^Password/)).toBeVisible();
    },
  },
  {
    ...tab('operators', '&is_active=false'),
    name: 'system-operators-empty',
    readyWhen: (page) => page.getByText('No operators found'),
  },
];
