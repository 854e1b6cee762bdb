/** The assistant's panel in its states. */
import type { Page } from '@playwright/test';
import { button, role, text } from './find.ts';
import { check, type PageCheck } from './pageCheck.ts';
import { expectPage } from './signIn.ts';
import { press, shows } from './steps.ts';

/** Open the panel with its button; on a narrow screen it covers the page. */
async function openPanel(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: 'Assistant panel', exact: true });
  if (await opener.isVisible()) await opener.click();
  await expectPage(page.getByRole('heading', { name: 'Master LLM' })).toBeVisible();
}

const ask = (request: string) => async (page: Page) => {
  await openPanel(page);
  const input = page.getByRole('textbox', { name: 'Message to the assistant' });
  await expectPage(input).toBeEnabled();
  await input.fill(request);
  await input.press('Enter');
};

/** Check the panel beside the settings of first messages. */
const beside = (name: string, options: Parameters<typeof check>[2]): PageCheck =>
  check('settings-product', '', {
    name: `assistant-${name}`,
    at: 'tab=outreach',
    ready: role('textbox', 'Telegram daily limit'),
    ...options,
  });

export const assistantPageChecks: readonly PageCheck[] = [
  beside('proposals', {
    act: [ask('Set the telegram limit to 30 and save the product settings'), shows(button('Deny & Tell Different'))],
  }),
  beside('denied', { act: [ask('Set the telegram limit to 30'), press('Deny & Tell Different')] }),
  check('prompt-detail', '', {
    name: 'assistant-diff',
    at: ({ promptId }) => `promptId=${promptId}`,
    ready: role('textbox', 'Text of the prompt'),
    act: [
      ask('Edit the prompt: replace "five weeks" by "seven weeks"'),
      press('Show all'),
      press('Show Diff'),
      shows(role('region', 'Differences')),
    ],
  }),
  beside('knowledge', {
    act: [openPanel, press('What the assistant knows'), shows(role('heading', 'What can be done here'))],
  }),
  beside('unreachable', {
    stubs: [(page) => page.routeWebSocket(/master_chat/, (route) => route.close({ code: 1011 }))],
    act: [openPanel, shows(text('Failed to reconnect to chat server after 3 attempts'))],
  }),
];
