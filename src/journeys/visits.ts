/** Every page of the console as an operator comes to it, and the states of pages that are worth a look. */
import type { Page } from '@playwright/test';
import { button, compare, dialog, openRowMenu } from './acts.ts';
import { LEAD } from './demo.ts';
import { leadVisits } from './leadVisits.ts';
import { see } from './signIn.ts';
import { forgetChoice, plain, signOut, type Visit } from './visit.ts';

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, level: 1 });

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
  {
    ...plain('crm-integrations'),
    shows: (page) => page.getByText('No CRM integrations found'),
  },
  plain('crm-company-llms'),
  {
    ...plain('crm-company-llms'),
    name: 'crm-company-llms-prices',
    act: async (page) => {
      await button(page, 'Prices').click();
      await see(dialog(page, 'Prices of models').getByRole('textbox').first()).toBeVisible();
    },
  },
  {
    ...plain('crm-company-llms'),
    name: 'crm-company-llms-budget',
    act: async (page) => {
      await button(page, 'Budget').click();
      await see(dialog(page, 'Budget for models')).toBeVisible();
    },
  },
  {
    ...plain('crm-company-llms'),
    name: 'crm-company-llms-form',
    act: async (page) => {
      await button(page, 'New LLM credential').click();
      await see(dialog(page, 'New LLM credential')).toBeVisible();
      // The errors of a form that is not filled in.
      await dialog(page, 'New LLM credential').getByRole('button', { name: 'Create' }).click();
    },
  },
  {
    ...plain('chatbot'),
    shows: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
    act: async (page) => {
      await see(page.getByText('Connected')).toBeVisible();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('How much is a kitchen?');
      await page.keyboard.press('Enter');
      await see(page.getByRole('article').last()).toContainText(/\d ms$/);
    },
  },
  ...['settings-product', 'settings'].map((key) => ({
    ...plain(key),
    shows: (page: Page) => page.getByRole('region', { name: 'Documents' }),
  })),
  {
    ...plain('settings-product'),
    name: 'settings-product-invalid',
    shows: (page) => page.getByRole('tab', { name: 'Outreach' }),
    act: async (page) => {
      await page.getByRole('tab', { name: 'Outreach' }).click();
      await page.getByRole('textbox', { name: 'WhatsApp daily limit' }).fill('20');
      await see(page.getByRole('alert').filter({ hasText: 'Validation Error' })).toBeVisible();
    },
  },
  {
    ...plain('settings-product'),
    name: 'settings-product-general',
    shows: (page) => page.getByRole('tab', { name: 'General' }),
    act: async (page) => {
      await page.getByRole('tab', { name: 'General' }).click();
      await see(page.getByRole('switch', { name: 'Active' })).toBeAttached();
    },
  },
  {
    ...plain('chatbot'),
    name: 'chatbot-compare',
    shows: (page) => page.getByRole('textbox', { name: /^Text of the prompt/ }),
    act: async (page) => {
      await button(page, 'Compare').click();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('How long does production take?');
      await button(page, 'Send').click();
      await see(button(page, 'Stop')).toBeHidden();
      await see(page.getByText(/weeks/).last()).toBeVisible();
    },
  },
  plain('prompts'),
  {
    name: 'prompt-detail',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    shows: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
    act: async (page) => {
      await page.getByRole('combobox', { name: 'Lead', exact: true }).fill(LEAD);
      await page.getByRole('option', { name: LEAD }).click();
      await see(page.getByRole('region', { name: 'Rendered text' })).toContainText(LEAD);
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
  ...leadVisits,
  plain('crm-dialogues'),
  {
    name: 'dialogue-chat',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    shows: (page) => page.getByRole('log', { name: 'Messages' }).getByRole('article').last(),
  },
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
