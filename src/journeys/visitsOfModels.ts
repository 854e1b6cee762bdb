/** The pages of models: keys, prices, the playground, a product's settings. */
import type { Page } from '@playwright/test';
import { see } from './signIn.ts';
import { button, dialog, plain, type Visit } from './visit.ts';

export const modelVisits: readonly Visit[] = [
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
    name: 'crm-company-llms-spending',
    act: async (page) => {
      await button(page, 'Spending').click();
      await see(dialog(page, 'Spending on models').getByRole('row').last()).toBeVisible();
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
      await see(page.getByRole('main').getByText('Connected')).toBeVisible();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('How much is a kitchen?');
      await page.keyboard.press('Enter');
      await see(page.getByRole('article').last()).toContainText(/\d ms$/);
    },
  },
  {
    ...plain('chatbot'),
    name: 'chatbot-compare',
    shows: (page) => page.getByRole('main').getByText('Connected'),
    act: async (page) => {
      await button(page, 'Compare').click();
      await see(page.getByRole('main').getByText('Connected')).toHaveCount(2);
    },
  },
  ...['settings-product', 'settings'].map((key) => ({
    ...plain(key),
    shows: (page: Page) => page.getByRole('region', { name: 'Documents' }),
  })),
  {
    ...plain('settings-product'),
    name: 'settings-product-invalid',
    shows: (page) => page.getByRole('tab', { name: 'General' }),
    act: async (page) => {
      await page.getByRole('tab', { name: 'General' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('');
      await page.keyboard.press('Tab');
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
];
