/** Every page of the console as an operator comes to it, and the states of pages that are worth a look. */
import type { Page } from '@playwright/test';
import { LEAD } from './demo.ts';
import { see } from './signIn.ts';
import { button, dialog, fail, forgetChoice, heading, plain, signOut, type Visit } from './visit.ts';
import { assistantVisits } from './visitsOfAssistant.ts';
import { crmVisits } from './visitsOfCrm.ts';
import { guideVisits } from './visitsOfGuide.ts';
import { modelVisits } from './visitsOfModels.ts';
import { outreachVisits } from './visitsOfOutreach.ts';
import { settingVisits } from './visitsOfSettings.ts';
import { systemVisits } from './visitsOfSystem.ts';

async function openRowMenu(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await see(page.getByRole('menu')).toBeVisible();
}

export const visits: readonly Visit[] = [
  {
    name: 'login',
    page: null,
    address: () => '/auth/login',
    before: signOut,
    shows: (page) => page.getByText(/^This is a sandbox/),
  },
  {
    name: 'choice-of-product',
    page: 'crm-leads',
    address: () => '/?page=crm-leads',
    before: forgetChoice,
    shows: (page) => dialog(page, 'Select company & product'),
  },
  {
    ...plain('dashboard'),
    shows: (page) => page.getByRole('region', { name: 'Messages per day' }),
  },
  {
    ...plain('dashboard'),
    name: 'dashboard-diff',
    shows: (page) => page.getByRole('region', { name: 'Messages per day' }),
    act: compare,
  },
  plain('channels'),
  plain('crm-companies'),
  plain('crm-products'),
  {
    ...plain('crm-products'),
    name: 'crm-products-form',
    act: async (page) => {
      await page.locator('[data-row-opener]').first().click();
      await see(dialog(page, /^Edit/)).toBeVisible();
    },
  },
  {
    ...plain('crm-companies'),
    name: 'crm-companies-delete',
    act: async (page) => {
      await openRowMenu(page);
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await see(dialog(page, 'Delete')).toBeVisible();
    },
  },
  ...crmVisits,
  ...modelVisits,
  ...settingVisits,
  ...outreachVisits,
  ...assistantVisits,
  ...guideVisits,
  ...systemVisits,
  plain('prompts'),
  {
    ...plain('prompts'),
    name: 'prompts-classification',
    act: async (page) => {
      await button(page, 'Classification: after 1 min').click();
      await see(dialog(page, 'Classification').getByRole('switch')).toBeChecked();
    },
  },
  ...['Where it stands', 'Is it really a refusal?'].map(
    (name): Visit => ({
      ...plain('prompts'),
      // On one page of the list, however many prompts the demo has.
      address: () => '/?page=prompts&list_size=100',
      name: `prompt-detail-${name.replaceAll(/\W+/g, '-').toLowerCase()}`,
      act: async (page) => {
        await page.getByRole('link', { name }).click();
        await see(page.getByRole('region', { name: /^(Classification|Refusal qualification)$/ })).toBeVisible();
      },
    }),
  ),
  {
    name: 'prompt-detail',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    shows: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
    act: async (page) => {
      await page.getByRole('combobox', { name: 'Lead of preview 1', exact: true }).fill(LEAD);
      await page.getByRole('option', { name: LEAD }).click();
      await see(page.getByRole('region', { name: 'Text of preview 1' })).toContainText(LEAD);
      await page.getByRole('textbox', { name: 'Text of the prompt' }).fill('Dear {{ lead.nmae }}');
      await see(page.getByText('Nothing fills in lead.nmae')).toBeVisible();
    },
  },
  {
    ...plain('prompt-detail'),
    name: 'prompt-detail-blank',
    shows: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
  },
  {
    name: 'prompt-detail-history',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    shows: (page) => page.getByRole('tab', { name: 'History' }),
    act: async (page) => {
      await page.getByRole('tab', { name: 'History' }).click();
      await button(page, 'Show Diff').click();
      await see(page.getByRole('region', { name: 'Differences' })).toBeVisible();
    },
  },
  plain('prompt-groups'),
  plain('prepared-messages'),
  {
    name: 'prepared-message-detail',
    page: 'prepared-message-detail',
    address: ({ messageId }) => `/?page=prepared-message-detail&messageId=${messageId}`,
    shows: heading('First message after the fair'),
  },
  {
    ...plain('prepared-message-detail'),
    name: 'prepared-message-detail-blank',
    shows: (page) => page.getByRole('heading', { level: 1 }),
  },
  plain('document-prompts'),
  plain('crm-leads'),
  {
    name: 'crm-leads-filtered',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&stage=initial,started,ongoing,pending&is_active=true&list_size=10',
  },
  {
    ...plain('crm-leads'),
    name: 'crm-leads-chosen',
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    },
  },
  {
    ...plain('crm-leads'),
    name: 'crm-leads-row-menu',
    act: openRowMenu,
  },
  {
    name: 'crm-leads-empty',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&search=nobody+is+called+this',
    shows: (page) => page.getByText('No leads found'),
  },
  {
    ...plain('crm-leads'),
    name: 'crm-leads-failed',
    before: (page) => fail(page, '/v1/leads/'),
    shows: (page) => page.getByRole('alert'),
  },
  {
    ...plain('crm-leads'),
    name: 'palette',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Go to' }).fill('anna');
      await see(page.getByRole('dialog').getByRole('option', { name: LEAD })).toBeVisible();
    },
  },
  {
    ...plain('crm-leads'),
    name: 'shortcuts',
    act: async (page) => {
      await page.keyboard.press('?');
      await see(dialog(page, 'Help')).toBeVisible();
    },
  },
  {
    name: 'lead-detail',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
    shows: (page) => page.getByRole('heading', { name: 'Recent events' }),
  },
  {
    name: 'lead-detail-stage',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
    shows: (page) => button(page, 'Change stage'),
    act: async (page) => {
      await button(page, 'Change stage').click();
      await see(dialog(page, 'Change stage')).toBeVisible();
    },
  },
  {
    ...plain('lead-detail'),
    name: 'lead-detail-blank',
    shows: (page) => page.getByRole('textbox', { name: 'Name', exact: true }),
  },
  {
    name: 'lead-detail-gone',
    page: 'lead-detail',
    address: () => '/?page=lead-detail&leadId=999999&leadName=Somebody',
    shows: (page) => page.getByText('There is no such lead.'),
  },
  {
    name: 'crm-lead-contacts',
    page: 'crm-lead-contacts',
    address: ({ leadId }) => `/?page=crm-lead-contacts&leadId=${leadId}&leadName=Anna`,
  },
  plain('contacts'),
  {
    name: 'crm-contact-dialogues',
    page: 'crm-contact-dialogues',
    address: ({ contactId }) => `/?page=crm-contact-dialogues&contactId=${contactId}`,
  },
  plain('crm-lead-events'),
  {
    ...plain('leads-import'),
    shows: (page) => button(page, 'Choose a file'),
  },
  {
    ...plain('leads-import'),
    name: 'leads-import-columns',
    shows: (page) => button(page, 'Choose a file'),
    act: chooseFile,
  },
  {
    ...plain('leads-import'),
    name: 'leads-import-rows',
    shows: (page) => button(page, 'Choose a file'),
    act: async (page) => {
      await chooseFile(page);
      await page.getByRole('button', { name: /^Check 3 rows/ }).click();
      await see(button(page, /^Import 2 leads/)).toBeVisible();
    },
  },
  plain('crm-dialogues'),
  plain('crm-messages'),
  {
    name: 'send-message',
    page: 'send-message',
    address: ({ contactId }) => `/?page=send-message&contactId=${contactId}`,
    shows: (page) => page.getByRole('radiogroup', { name: 'What to send' }),
  },
  {
    name: 'send-message-later',
    page: 'send-message',
    address: ({ contactId }) => `/?page=send-message&contactId=${contactId}`,
    shows: (page) => page.getByRole('radiogroup', { name: 'What to send' }),
    act: async (page) => {
      await page.getByText('Prepared message', { exact: true }).click();
      await page.getByRole('combobox', { name: 'Prepared message' }).click();
      await page.getByRole('option', { name: 'First message after the fair' }).click();
      await page.getByRole('switch', { name: 'Not before a moment' }).check({ force: true });
      await see(page.getByRole('region', { name: 'Text of the prepared message' })).toContainText('Good day');
    },
  },
  {
    ...plain('crm-leads'),
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
    shows: (page) => page.getByRole('searchbox', { name: 'Search leads' }),
    act: async (page) => {
      await page.getByRole('searchbox', { name: 'Search leads' }).fill('Anna');
      await page.getByText('Anna').first().click();
      await see(page.getByRole('log', { name: 'What the lead sees' }).getByRole('article').first()).toBeVisible();
    },
  },
];

async function compare(page: Page): Promise<void> {
  await button(page, 'Test text diff').click();
  await page
    .getByRole('button', { name: /^Sample/ })
    .first()
    .click();
  await button(page, 'Show Diff').click();
  await see(page.getByRole('region', { name: 'Differences' })).toBeVisible();
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
  await see(page.getByRole('combobox', { name: 'What the column city becomes' })).toBeVisible();
}
