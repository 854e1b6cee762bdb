/** The assistant's panel in its states. */
import type { Page } from '@playwright/test';
import { see } from './signIn.ts';
import { button, plain, type Visit } from './visit.ts';

/** On a narrow screen it lies over the page, and is opened by a button. */
async function openPanel(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: 'Assistant panel', exact: true });
  if (await opener.isVisible()) await opener.click();
  await see(page.getByRole('heading', { name: 'Master LLM' })).toBeVisible();
}

async function ask(page: Page, words: string): Promise<void> {
  await openPanel(page);
  const input = page.getByRole('textbox', { name: 'Message to the assistant' });
  await see(input).toBeEnabled();
  await input.fill(words);
  await input.press('Enter');
}

const settings: Visit = {
  ...plain('settings-product'),
  address: () => '/?page=settings-product&tab=outreach',
  shows: (page) => page.getByRole('textbox', { name: 'Telegram daily limit' }),
};

export const assistantVisits: readonly Visit[] = [
  {
    ...settings,
    name: 'assistant-proposals',
    act: async (page) => {
      await ask(page, 'Set the telegram limit to 30 and save the product settings');
      await see(button(page, 'Deny & Tell Different')).toBeVisible();
    },
  },
  {
    ...settings,
    name: 'assistant-denied',
    act: async (page) => {
      await ask(page, 'Set the telegram limit to 30');
      await button(page, 'Deny & Tell Different').click();
      await see(page.getByRole('textbox', { name: 'What should be different?' })).toBeVisible();
    },
  },
  {
    name: 'assistant-diff',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    shows: (page) => page.getByRole('main').getByText('kitchens made to measure').first(),
    act: async (page) => {
      await ask(page, 'Replace "five weeks" by "seven weeks"');
      await button(page, 'Show all of it').click();
      await button(page, 'Show Diff').click();
      await see(page.getByRole('region', { name: 'Differences' })).toBeVisible();
    },
  },
  {
    ...settings,
    name: 'assistant-knowledge',
    act: async (page) => {
      await openPanel(page);
      await button(page, 'What the assistant knows').click();
      await see(page.getByRole('heading', { name: 'What can be done here' })).toBeVisible();
    },
  },
  {
    ...settings,
    name: 'assistant-unreachable',
    before: async (page) => {
      await page.routeWebSocket(/master_chat/, (route) => route.close({ code: 1011 }));
      return async () => undefined;
    },
    act: async (page) => {
      await openPanel(page);
      await see(page.getByText('Failed to reconnect to chat server after 3 attempts')).toBeVisible();
    },
  },
];
