/** What models write, as the lead sees it in the console, and as the assistant and the playground show it. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { press } from './actions.ts';
import { receivedBy, writeAs } from './calls.ts';
import { talkTo, type } from './dialogue.ts';
import { setUpJourney } from './journeySetup.ts';
import { bubble, main, panel } from './locators.ts';
import { SCREENS } from './screens.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney();

const FACT = 'A kitchen costs **9,000 euros**, see [the list](https://shop.example/list_a).';

it('shows the marks of WhatsApp as WhatsApp does, whoever wrote them, and sends what was typed', async () => {
  const { context, page, lead } = await talkTo('Marta Marked');
  await press(page, 'Take over');
  await writeAs(context, lead, 'I *really* want a 5* kitchen');
  await expectPage(bubble(page, 'I really want a 5* kitchen').locator('strong')).toHaveText('really');
  const text = '*Come* at _ten_, not at ~nine~. 5* rooms from 200*160 cm, `SALE_20`';
  await type(page, text);
  const typed = bubble(page, 'rooms from 200*160 cm');
  await expectPage(typed.locator('strong')).toHaveText('Come');
  await expectPage(typed.locator('em')).toHaveText('ten');
  await expectPage(typed.locator('s')).toHaveText('nine');
  await expectPage(typed.locator('code')).toHaveText('SALE_20');
  await expectPage(typed.getByRole('img', { name: 'Read' })).toBeVisible();
  expect(await receivedBy(context, lead)).toEqual([text]);
});

const ANSWER =
  'Here is **what I see**:\n\n1. First, `limits`\n2. Then [the guide](https://shop.example)\n\n| Day | Sent |\n|---|---|\n| Mon | 12 |\n\n<img src=x> ![pixel](https://shop.example/p.png)';

/** Have the server give this answer on a socket, in place of its own. */
async function answerWith(page: Page, socket: RegExp, message: string): Promise<void> {
  const answer = { content: { message, message_type: 'full', tool_calls: [] }, is_finished: true, is_error: false };
  await page.routeWebSocket(socket, (route) => {
    let isAnswered = false;
    route.connectToServer().onMessage((frame) => {
      if (!String(frame).includes('"message_type"')) return route.send(frame);
      if (!isAnswered) route.send(JSON.stringify(answer));
      isAnswered = true;
    });
  });
}

it("formats the assistant's answers, and shows HTML in them as text", async () => {
  const { page } = await startOperator(SCREENS.wide);
  await answerWith(page, /master_chat/, ANSWER);
  await goTo(page, 'crm-leads');
  await press(page, 'Assistant panel');
  const words = panel(page).getByRole('textbox', { name: 'Message to the assistant' });
  await words.fill('What do you see?');
  await words.press('Enter');
  const answer = panel(page).getByRole('article', { name: 'Master LLM' });
  await expectPage(answer.locator('strong')).toHaveText('what I see');
  await expectPage(answer.getByRole('listitem')).toHaveCount(2);
  await expectPage(answer.getByRole('cell')).toHaveText(['Mon', '12']);
  await expectPage(answer.getByRole('link')).toHaveCount(2);
  await expectPage(answer.locator('img')).toHaveCount(0);
  await expectPage(answer).toContainText('<img src=x>');
});

it('formats answers in the playground', async () => {
  const { page } = await startOperator(SCREENS.wide);
  await goTo(page, 'chatbot');
  const column = page.getByRole('region', { name: 'gpt-4o-mini' });
  await expectPage(column.getByText('Connected')).toBeVisible();
  await page.getByRole('textbox', { name: 'Text of the prompt' }).fill(`You sell kitchens.\n# Facts\n${FACT}`);
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill('What does a *kitchen* cost?');
  await page.keyboard.press('Enter');
  const answer = column.getByRole('article').last();
  await expectPage(answer.locator('strong')).toHaveText('9,000 euros');
  await expectPage(answer.getByRole('link')).toHaveAttribute('href', 'https://shop.example/list_a');
  await expectPage(main(page).getByRole('article').first()).toHaveText('What does a *kitchen* cost?');
});
