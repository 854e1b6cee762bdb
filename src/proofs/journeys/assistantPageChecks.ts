/** The assistant's panel in its states. */
import type { Page } from '@playwright/test';
import { button, type PageCheck, simplePageCheck } from './pageCheck.ts';
import { expectPage } from './signIn.ts';

/** Open the panel with its button; on a narrow screen it covers the page. */
async function openPanel(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: 'Assistant panel', exact: true });
  if (await opener.isVisible()) await opener.click();
  await expectPage(page.getByRole('heading', { name: 'Master LLM' })).toBeVisible();
}

async function askAssistant(page: Page, text: string): Promise<void> {
  await openPanel(page);
  const input = page.getByRole('textbox', { name: 'Message to the assistant' });
  await expectPage(input).toBeEnabled();
  await input.fill(text);
  await input.press('Enter');
}

const settings: PageCheck = {
  ...simplePageCheck('settings-product'),
  address: () => '/?page=settings-product&tab=outreach',
  readyWhen: (page) => page.getByRole('textbox', { name: 'Telegram daily limit' }),
};

export const assistantPageChecks: readonly PageCheck[] = [
  {
    ...settings,
    name: 'assistant-proposals',
    act: async (page) => {
      await askAssistant(page, 'Set the telegram limit to 30 and save the product settings');
      await expectPage(button(page, 'Deny & Tell Different')).toBeVisible();
    },
  },
  {
    ...settings,
    name: 'assistant-denied',
    act: async (page) => {
      await askAssistant(page, 'Set the telegram limit to 30');
      await button(page, 'Deny & Tell Different').click();
      await expectPage(page.getByRole('textbox', { name: 'What should be different?' })).toBeVisible();
    },
  },
  {
    name: 'assistant-diff',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    readyWhen: (page) => page.getByRole('main').getByText('kitchens made to measure').first(),
    act: async (page) => {
      await askAssistant(page, 'Replace "five weeks" by "seven weeks"');
      await button(page, 'Show all').click();
      await button(page, 'Show Diff').click();
      await expectPage(page.getByRole('region', { name: 'Differences' })).toBeVisible();
    },
  },
  {
    ...settings,
    name: 'assistant-knowledge',
    act: async (page) => {
      await openPanel(page);
      await button(page, 'What the assistant knows').click();
      await expectPage(page.getByRole('heading', { name: 'What can be done here' })).toBeVisible();
    },
  },
  {
    ...settings,
    name: 'assistant-unreachable',
    prepare: async (page) => {
      await page.routeWebSocket(/master_chat/, (route) => route.close({ code: 1011 }));
      return async () => undefined;
    },
    act: async (page) => {
      await openPanel(page);
      await expectPage(page.getByText('Failed to reconnect to chat server after 3 attempts')).toBeVisible();
    },
  },
];
