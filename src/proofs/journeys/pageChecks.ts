/** Every page of the console in its initial state, and further states worth checking. */
import type { Page } from '@playwright/test';
import { assistantPageChecks } from './assistantPageChecks.ts';
import { crmPageChecks } from './crmPageChecks.ts';
import { LEAD } from './demoData.ts';
import { guidePageChecks } from './guidePageChecks.ts';
import { modelPageChecks } from './modelPageChecks.ts';
import { outreachPageChecks } from './outreachPageChecks.ts';
import {
  button,
  clearSelection,
  dialog,
  failCalls,
  heading,
  type PageCheck,
  signOut,
  simplePageCheck,
} from './pageCheck.ts';
import { settingsPageChecks } from './settingsPageChecks.ts';
import { expectPage } from './signIn.ts';
import { systemPageChecks } from './systemPageChecks.ts';

async function openRowMenu(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await expectPage(page.getByRole('menu')).toBeVisible();
}

export const pageChecks: readonly PageCheck[] = [
  {
    name: 'login',
    page: null,
    address: () => '/auth/login',
    prepare: signOut,
    readyWhen: (page) => page.getByText(/^This is a sandbox/),
  },
  {
    name: 'choice-of-product',
    page: 'crm-leads',
    address: () => '/?page=crm-leads',
    prepare: clearSelection,
    readyWhen: (page) => dialog(page, 'Select company & product'),
  },
  {
    ...simplePageCheck('dashboard'),
    readyWhen: (page) => page.getByRole('region', { name: 'Messages per day' }),
  },
  {
    ...simplePageCheck('dashboard'),
    name: 'dashboard-diff',
    readyWhen: (page) => page.getByRole('region', { name: 'Messages per day' }),
    act: compareSamples,
  },
  simplePageCheck('channels'),
  simplePageCheck('crm-companies'),
  simplePageCheck('crm-products'),
  {
    ...simplePageCheck('crm-products'),
    name: 'crm-products-form',
    act: async (page) => {
      await page.locator('[data-row-opener]').first().click();
      await expectPage(dialog(page, /^Edit/)).toBeVisible();
    },
  },
  {
    ...simplePageCheck('crm-companies'),
    name: 'crm-companies-delete',
    act: async (page) => {
      await openRowMenu(page);
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await expectPage(dialog(page, 'Delete')).toBeVisible();
    },
  },
  ...crmPageChecks,
  ...modelPageChecks,
  ...settingsPageChecks,
  ...outreachPageChecks,
  ...assistantPageChecks,
  ...guidePageChecks,
  ...systemPageChecks,
  simplePageCheck('prompts'),
  {
    ...simplePageCheck('prompts'),
    name: 'prompts-classification',
    act: async (page) => {
      await button(page, 'Classification: after 1 min').click();
      await expectPage(dialog(page, 'Classification').getByRole('switch')).toBeChecked();
    },
  },
  ...['Where it stands', 'Is it really a refusal?'].map(
    (name): PageCheck => ({
      ...simplePageCheck('prompts'),
      // All prompts on one page of the list, however many the demo has.
      address: () => '/?page=prompts&list_size=100',
      name: `prompt-detail-${name.replaceAll(/\W+/g, '-').toLowerCase()}`,
      act: async (page) => {
        await page.getByRole('link', { name }).click();
        await expectPage(page.getByRole('region', { name: /^(Classification|Refusal qualification)$/ })).toBeVisible();
      },
    }),
  ),
  {
    name: 'prompt-detail',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    readyWhen: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
    act: async (page) => {
      await page.getByRole('combobox', { name: 'Lead of preview 1', exact: true }).fill(LEAD);
      await page.getByRole('option', { name: LEAD }).click();
      await expectPage(page.getByRole('region', { name: 'Text of preview 1' })).toContainText(LEAD);
      await page.getByRole('textbox', { name: 'Text of the prompt' }).fill('Dear {{ lead.nmae }}');
      await expectPage(page.getByText('Unknown variable lead.nmae')).toBeVisible();
    },
  },
  {
    ...simplePageCheck('prompt-detail'),
    name: 'prompt-detail-blank',
    readyWhen: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
  },
  {
    name: 'prompt-detail-history',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    readyWhen: (page) => page.getByRole('tab', { name: 'History' }),
    act: async (page) => {
      await page.getByRole('tab', { name: 'History' }).click();
      await button(page, 'Show Diff').click();
      await expectPage(page.getByRole('region', { name: 'Differences' })).toBeVisible();
    },
  },
  simplePageCheck('prompt-groups'),
  simplePageCheck('prepared-messages'),
  {
    name: 'prepared-message-detail',
    page: 'prepared-message-detail',
    address: ({ messageId }) => `/?page=prepared-message-detail&messageId=${messageId}`,
    readyWhen: heading('First message after the fair'),
  },
  {
    ...simplePageCheck('prepared-message-detail'),
    name: 'prepared-message-detail-blank',
    readyWhen: (page) => page.getByRole('heading', { level: 1 }),
  },
  simplePageCheck('document-prompts'),
  simplePageCheck('crm-leads'),
  {
    name: 'crm-leads-filtered',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&stage=initial,started,ongoing,pending&is_active=true&list_size=10',
  },
  {
    ...simplePageCheck('crm-leads'),
    name: 'crm-leads-chosen',
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    },
  },
  {
    ...simplePageCheck('crm-leads'),
    name: 'crm-leads-row-menu',
    act: openRowMenu,
  },
  {
    name: 'crm-leads-empty',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&search=nobody+is+called+this',
    readyWhen: (page) => page.getByText('No leads found'),
  },
  {
    ...simplePageCheck('crm-leads'),
    name: 'crm-leads-failed',
    prepare: (page) => failCalls(page, '/v1/leads/'),
    readyWhen: (page) => page.getByRole('alert'),
  },
  {
    ...simplePageCheck('crm-leads'),
    name: 'palette',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).fill('anna');
      await expectPage(page.getByRole('dialog').getByRole('option', { name: LEAD })).toBeVisible();
    },
  },
  {
    ...simplePageCheck('crm-leads'),
    name: 'shortcuts',
    act: async (page) => {
      await page.keyboard.press('?');
      await expectPage(dialog(page, 'Help')).toBeVisible();
    },
  },
  {
    name: 'lead-detail',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
    readyWhen: (page) => page.getByRole('heading', { name: 'Recent events' }),
  },
  {
    name: 'lead-detail-stage',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
    readyWhen: (page) => button(page, 'Change stage'),
    act: async (page) => {
      await button(page, 'Change stage').click();
      await expectPage(dialog(page, 'Change stage')).toBeVisible();
    },
  },
  {
    ...simplePageCheck('lead-detail'),
    name: 'lead-detail-blank',
    readyWhen: (page) => page.getByRole('textbox', { name: 'Name', exact: true }),
  },
  {
    name: 'lead-detail-gone',
    page: 'lead-detail',
    address: () => '/?page=lead-detail&leadId=999999&leadName=Somebody',
    readyWhen: (page) => page.getByText('There is no such lead.'),
  },
  {
    name: 'crm-lead-contacts',
    page: 'crm-lead-contacts',
    address: ({ leadId }) => `/?page=crm-lead-contacts&leadId=${leadId}&leadName=Anna`,
  },
  simplePageCheck('contacts'),
  {
    name: 'crm-contact-dialogues',
    page: 'crm-contact-dialogues',
    address: ({ contactId }) => `/?page=crm-contact-dialogues&contactId=${contactId}`,
  },
  simplePageCheck('crm-lead-events'),
  {
    ...simplePageCheck('leads-import'),
    readyWhen: (page) => button(page, 'Choose a file'),
  },
  {
    ...simplePageCheck('leads-import'),
    name: 'leads-import-columns',
    readyWhen: (page) => button(page, 'Choose a file'),
    act: chooseFile,
  },
  {
    ...simplePageCheck('leads-import'),
    name: 'leads-import-rows',
    readyWhen: (page) => button(page, 'Choose a file'),
    act: async (page) => {
      await chooseFile(page);
      await page.getByRole('button', { name: /^Check 3 rows/ }).click();
      await expectPage(button(page, /^Import 2 leads/)).toBeVisible();
    },
  },
  simplePageCheck('crm-dialogues'),
  simplePageCheck('crm-messages'),
  {
    name: 'send-message',
    page: 'send-message',
    address: ({ contactId }) => `/?page=send-message&contactId=${contactId}`,
    readyWhen: (page) => page.getByRole('radiogroup', { name: 'What to send' }),
  },
  {
    name: 'send-message-later',
    page: 'send-message',
    address: ({ contactId }) => `/?page=send-message&contactId=${contactId}`,
    readyWhen: (page) => page.getByRole('radiogroup', { name: 'What to send' }),
    act: async (page) => {
      await page.getByText('Prepared message', { exact: true }).click();
      await page.getByRole('combobox', { name: 'Prepared message' }).click();
      await page.getByRole('option', { name: 'First message after the fair' }).click();
      await page.getByRole('switch', { name: 'Not before a moment' }).check({ force: true });
      await expectPage(page.getByRole('region', { name: 'Text of the prepared message' })).toContainText('Good day');
    },
  },
  {
    ...simplePageCheck('crm-leads'),
    name: 'menu',
    act: async (page) => {
      const burger = page.getByRole('button', { name: 'Menu', exact: true });
      if (await burger.isVisible()) await burger.click();
    },
  },
  {
    name: 'sandbox',
    page: null,
    address: () => '/sandbox',
    readyWhen: (page) => page.getByRole('searchbox', { name: 'Search leads' }),
    act: async (page) => {
      await page.getByRole('searchbox', { name: 'Search leads' }).fill('Anna');
      await page.getByText('Anna').first().click();
      await expectPage(
        page.getByRole('log', { name: 'What the lead sees' }).getByRole('article').first(),
      ).toBeVisible();
    },
  },
];

async function compareSamples(page: Page): Promise<void> {
  await button(page, 'Test text diff').click();
  await page
    .getByRole('button', { name: /^Sample/ })
    .first()
    .click();
  await button(page, 'Show Diff').click();
  await expectPage(page.getByRole('region', { name: 'Differences' })).toBeVisible();
}

async function chooseFile(page: Page): Promise<void> {
  const table = [
    'Name,WhatsApp,Telegram,city,budget',
    'Ada Sample,+44 7700 900123,,London,9000',
    'Bo Sample,,@bo_sample,Riga,4500',
    ',not a number,,,',
  ];
  const file = { name: 'fair.csv', mimeType: 'text/csv', buffer: Buffer.from(table.join('\n')) };
  await page.locator('input[type=file]').setInputFiles(file);
  await expectPage(page.getByRole('combobox', { name: 'What the column city becomes' })).toBeVisible();
}
