/** The pages of models: keys, prices, the playground, a product's settings. */
import type { Page } from '@playwright/test';
import { button, dialog, type PageCheck, simplePageCheck } from './pageCheck.ts';
import { expectPage } from './signIn.ts';

export const modelPageChecks: readonly PageCheck[] = [
  simplePageCheck('crm-company-llms'),
  {
    ...simplePageCheck('crm-company-llms'),
    name: 'crm-company-llms-prices',
    act: async (page) => {
      await button(page, 'Prices').click();
      await expectPage(dialog(page, 'Prices of models').getByRole('textbox').first()).toBeVisible();
    },
  },
  {
    ...simplePageCheck('crm-company-llms'),
    name: 'crm-company-llms-spending',
    act: async (page) => {
      await button(page, 'Spending').click();
      await expectPage(dialog(page, 'Spending on models').getByRole('row').last()).toBeVisible();
    },
  },
  {
    ...simplePageCheck('crm-company-llms'),
    name: 'crm-company-llms-budget',
    act: async (page) => {
      await button(page, 'Budget').click();
      await expectPage(dialog(page, 'Budget for models')).toBeVisible();
    },
  },
  {
    ...simplePageCheck('crm-company-llms'),
    name: 'crm-company-llms-form',
    act: async (page) => {
      await button(page, 'New LLM credential').click();
      await expectPage(dialog(page, 'New LLM credential')).toBeVisible();
      // The errors of an empty form.
      await dialog(page, 'New LLM credential').getByRole('button', { name: 'Create' }).click();
    },
  },
  {
    ...simplePageCheck('chatbot'),
    readyWhen: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
    act: async (page) => {
      await expectPage(page.getByRole('main').getByText('Connected')).toBeVisible();
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill('How much is a kitchen?');
      await page.keyboard.press('Enter');
      await expectPage(page.getByRole('article').last()).toContainText(/\d ms$/);
    },
  },
  {
    ...simplePageCheck('chatbot'),
    name: 'chatbot-compare',
    readyWhen: (page) => page.getByRole('main').getByText('Connected'),
    act: async (page) => {
      await button(page, 'Compare').click();
      await expectPage(page.getByRole('main').getByText('Connected')).toHaveCount(2);
    },
  },
  ...['settings-product', 'settings'].map((key) => ({
    ...simplePageCheck(key),
    readyWhen: (page: Page) => page.getByRole('region', { name: 'Documents' }),
  })),
  {
    ...simplePageCheck('settings-product'),
    name: 'settings-product-invalid',
    readyWhen: (page) => page.getByRole('tab', { name: 'General' }),
    act: async (page) => {
      await page.getByRole('tab', { name: 'General' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('');
      await page.keyboard.press('Tab');
      await expectPage(page.getByRole('alert').filter({ hasText: 'Validation Error' })).toBeVisible();
    },
  },
  {
    ...simplePageCheck('settings-product'),
    name: 'settings-product-general',
    readyWhen: (page) => page.getByRole('tab', { name: 'General' }),
    act: async (page) => {
      await page.getByRole('tab', { name: 'General' }).click();
      await expectPage(page.getByRole('switch', { name: 'Active' })).toBeAttached();
    },
  },
];
