/** The assistant on the pages of the console: asked, denied with a reason, confirmed, undone, and interrupted. */
import type { Locator, Page, WebSocketRoute } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { setOwner } from '../../conversations/contract.ts';
import { leads } from '../../leads/contract.ts';
import { HARMFUL_TEXT, INJECTIONS } from '../../testing/promptInjections.ts';
import { press } from './actions.ts';
import { call, createLead, demoProduct, receivedBy, writeAs } from './calls.ts';
import { type DemoIds, LEAD, prepareDemo } from './demoData.ts';
import { chromium, product, query, setUpJourney } from './journeySetup.ts';
import { bubble, button, field, main, panel } from './locators.ts';
import { QUESTION } from './phone.ts';
import { SCREENS } from './screens.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

let demo: DemoIds;
setUpJourney({ withoutOutreach: true });
beforeAll(async () => {
  const { context } = await startOperator(SCREENS.wide);
  demo = await prepareDemo(context, product.url);
  await chromium.closePages();
});

const proposal = (page: Page, tool: string) =>
  panel(page)
    .getByRole('region', { name: `Proposal: ${tool}`, exact: true })
    .last();
const words = (page: Page) => panel(page).getByRole('textbox', { name: 'Message to the assistant' });

async function open(address: string, shows: (page: Page) => Locator): Promise<Page> {
  const { page } = await startOperator(SCREENS.wide);
  await goTo(page, address);
  await expectPage(shows(page)).toBeVisible();
  await press(page, 'Assistant panel');
  return page;
}

async function ask(page: Page, text: string): Promise<void> {
  await expectPage(words(page)).toBeEnabled();
  await words(page).fill(text);
  await words(page).press('Enter');
}

/** Confirm a proposal; a long one has to be expanded first. */
async function confirm(page: Page, tool: string): Promise<void> {
  const one = proposal(page, tool);
  await expectPage(button(one, 'Confirm')).toBeVisible();
  const more = one.getByRole('button', { name: 'Show all' });
  if ((await more.count()) > 0) {
    await expectPage(button(one, 'Confirm')).toBeDisabled();
    // The diff also shows the whole change.
    const diff = one.getByRole('button', { name: 'Show Diff', exact: true });
    await ((await diff.count()) > 0 ? diff : more).click();
  }
  await press(one, 'Confirm');
}

interface AssistantAction {
  readonly address: () => string;
  readonly ready: (page: Page) => Locator;
  readonly asks: string;
  readonly tool: string;
  /** Arguments that the scripted model cannot find in the words. */
  readonly scripted?: () => Readonly<Record<string, unknown>>;
  /** The reason for denying the first proposal; the second one follows it. */
  readonly instead: string;
  /** Check the page after the change, and after its undo. */
  readonly done: (page: Page) => Promise<void>;
  readonly undone: (page: Page) => Promise<void>;
}

const ACTIONS: readonly AssistantAction[] = [
  {
    address: () => 'settings-product&tab=outreach',
    ready: (page) => field(main(page), 'Telegram daily limit'),
    asks: 'Set the telegram limit to 30',
    tool: 'set_limits',
    instead: 'make it 25 instead',
    done: (page) => expectPage(field(main(page), 'Telegram daily limit')).toHaveValue('25'),
    undone: (page) => expectPage(field(main(page), 'Telegram daily limit')).toHaveValue('0'),
  },
  {
    address: () => 'settings-channel',
    ready: (page) => main(page).getByText('Telegram, sales'),
    asks: 'Change product channel "WhatsApp, main number": inbound enabled false',
    tool: 'change_product_channel',
    scripted: () => ({ channel_id: demo.channelId, inbound_enabled: false }),
    instead: 'Not now',
    done: (page) => expectPage(main(page).getByRole('row', { name: /WhatsApp/ })).toContainText('Disabled'),
    undone: (page) => expectPage(main(page).getByRole('row', { name: /WhatsApp/ })).toContainText('Enabled'),
  },
  {
    address: () => `prompt-detail&promptId=${demo.promptId}`,
    ready: (page) => main(page).getByText('kitchens made to measure').first(),
    asks: 'Edit the prompt: replace "five weeks" by "seven weeks"',
    tool: 'edit_prompt',
    instead: 'replace "seven weeks" by "eight weeks"',
    done: (page) => expectPage(main(page)).toContainText('takes eight weeks'),
    undone: (page) => expectPage(main(page)).toContainText('takes five weeks'),
  },
  {
    address: () => `lead-detail&leadId=${demo.leadId}`,
    ready: (page) => page.getByRole('heading', { name: LEAD, level: 1 }),
    asks: 'Change the stage to pending',
    tool: 'change_stage',
    instead: 'to success please',
    done: (page) => expectPage(main(page)).toContainText('SuccessChange stage'),
    undone: (page) => expectPage(main(page)).not.toContainText('SuccessChange stage'),
  },
  {
    address: () => `dialogue-chat&dialogueId=${demo.dialogueId}&dialogueName=${LEAD}`,
    ready: (page) => page.getByRole('log', { name: 'Messages' }),
    asks: 'Hand this dialogue over to a human',
    tool: 'set_owner',
    instead: 'Not now',
    done: (page) => expectPage(main(page).getByRole('button', { name: 'Hand back to bot' })).toBeVisible(),
    undone: (page) => expectPage(main(page).getByRole('button', { name: 'Hand back to bot' })).toHaveCount(0),
  },
];

it.each(ACTIONS)('calls $tool after a denied, then a confirmed proposal, and undoes the change', async (action) => {
  // An earlier action may have left the dialogue with an operator.
  const { context } = await startOperator(SCREENS.wide);
  await call(context, 'POST', setOwner.path.replace('{id}', String(demo.dialogueId)), { owner: 'bot' });
  const page = await open(action.address(), action.ready);
  const control = await product.emulators();
  const args = action.scripted?.();
  const calls = args && [{ name: action.tool, arguments: args }];
  const script = () => control.setFaults(calls ? [{ kind: 'openai.says', calls, times: 1 }] : []);
  await script();
  await ask(page, action.asks);
  const first = proposal(page, action.tool);
  await press(first, 'Deny & Tell Different');
  await expectPage(words(page)).toBeDisabled();
  await first.getByRole('textbox', { name: 'What should be different?' }).fill(action.instead);
  const stops = action.instead === 'Not now';
  await press(first, 'Deny');
  await expectPage(panel(page).getByText('Action denied by user.')).toBeVisible();
  if (stops) {
    // The reason requests nothing else, so the model stops until the operator asks again.
    await expectPage(words(page)).toBeEnabled();
    await expectPage(button(panel(page), 'Confirm')).toHaveCount(0);
    await script();
    await ask(page, action.asks);
  }
  await confirm(page, action.tool);
  await action.done(page);
  await expectPage(proposal(page, action.tool).getByText('Done')).toBeVisible();
  await press(proposal(page, action.tool), 'Undo');
  await expectPage(proposal(page, action.tool).getByText('Undone')).toBeVisible();
  await action.undone(page);
});

it('asks to confirm two proposals one after the other', async () => {
  const page = await open('settings-product&tab=general', (one) => main(one).getByRole('tab', { name: 'General' }));
  await ask(page, 'Set the product name to "Kitchens and more" and save the product settings');
  await expectPage(proposal(page, 'set_product').getByText('Waiting for you')).toBeVisible();
  await expectPage(proposal(page, 'save_product_settings').getByText('Next')).toBeVisible();
  await expectPage(proposal(page, 'save_product_settings').getByRole('button', { name: 'Confirm' })).toHaveCount(0);
  await confirm(page, 'set_product');
  await expectPage(page.getByText('Unsaved')).toBeVisible();
  await confirm(page, 'save_product_settings');
  await expectPage(page.getByText('Settings saved successfully!')).toBeVisible();
  await press(proposal(page, 'save_product_settings'), 'Undo');
  await expectPage(proposal(page, 'save_product_settings').getByText('Undone')).toBeVisible();
});

it('keeps a waiting proposal when the socket is cut, without the texts', async () => {
  const { page } = await startOperator(SCREENS.wide);
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket(/master_chat/, (route) => {
    route.connectToServer();
    sockets.push(route);
  });
  await goTo(page, 'settings-product&tab=outreach');
  await press(page, 'Assistant panel');
  await ask(page, 'Set the telegram limit to 44');
  await expectPage(proposal(page, 'set_limits')).toBeVisible();
  await sockets.at(-1)?.close({ code: 1011 });
  await expectPage(panel(page).getByText('Set the telegram limit to 44')).toHaveCount(0);
  await expectPage(panel(page).getByText('Connected')).toBeVisible();
  // The same on another page: the proposal belongs to the first one.
  await goTo(page, 'settings-ping');
  await expectPage(proposal(page, 'set_limits').getByText('This belongs to another page.')).toBeVisible();
  await proposal(page, 'set_limits').getByRole('link', { name: 'Open it' }).click();
  await confirm(page, 'set_limits');
  await expectPage(field(main(page), 'Telegram daily limit')).toHaveValue('44');
});

it('does nothing that a lead’s name tells the model to do before it is confirmed, and nothing after it is denied', async () => {
  const { context, page } = await startOperator(SCREENS.wide);
  const { productId: product_id } = await demoProduct(context);
  for (const [, text] of INJECTIONS.slice(0, 12))
    await call(context, 'POST', leads.create.path, { product_id, name: text.slice(0, 200) });
  const writes: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') writes.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
  const control = await product.emulators();
  await goTo(page, 'crm-leads&list_size=100');
  await expectPage(main(page).getByRole('row').nth(12)).toBeVisible();
  await press(page, 'Assistant panel');
  // The model repeats everything that it was shown.
  await control.changeSettings({ llm: { msPerToken: 0 } });
  await control.setFaults([{ kind: 'openai.hostile', times: 1 }]);
  await ask(page, 'What is on this page?');
  const asked = button(panel(page), 'Confirm');
  await expectPage(asked.or(panel(page).getByRole('alert')).first()).toBeVisible();
  expect(writes).toEqual([]);
  const free = panel(page).getByRole('textbox', { name: 'Message to the assistant', disabled: false });
  for (let left = 0; left < 40; left++) {
    await expectPage(asked.or(free)).toBeVisible();
    if ((await asked.count()) === 0) break;
    const denied = panel(page).getByText('Action denied by user.');
    const before = await denied.count();
    await press(panel(page), 'Deny & Tell Different');
    await press(panel(page), 'Deny');
    await expectPage(denied).toHaveCount(before + 1);
  }
  await expectPage(words(page)).toBeEnabled();
  expect(writes).toEqual([]);
});

it('does not apply to one lead what was proposed for another', async () => {
  const lead = (id: number) => `lead-detail&leadId=${id}`;
  const page = await open(lead(demo.leadId), (one) => one.getByRole('heading', { name: LEAD, level: 1 }));
  await ask(page, 'Change the stage to success');
  const one = proposal(page, 'change_stage');
  await expectPage(button(one, 'Confirm')).toBeEnabled();
  await goTo(page, lead(demo.leadId - 1));
  await expectPage(one.getByText('This belongs to another page.')).toBeVisible();
  await expectPage(button(one, 'Confirm')).toBeDisabled();
});

it('does not answer a lead whom a colleague has answered since', async () => {
  const { context } = await startOperator(SCREENS.wide);
  const lead = await createLead(context, 'Walter Written');
  await writeAs(context, lead, QUESTION);
  await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(1);
  const page = await open(`dialogue-chat&dialogueId=${lead.dialogueId}&dialogueName=${lead.name}`, (one) =>
    bubble(one, QUESTION),
  );
  const control = await product.emulators();
  const calls = [{ name: 'send_message', arguments: { text: 'In a month.' } }];
  await control.setFaults([{ kind: 'openai.says', calls, times: 1 }]);
  await ask(page, 'Send: In a month.');
  await expectPage(button(proposal(page, 'send_message'), 'Confirm')).toBeEnabled();
  await query(`insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, thread_at)
    select product_id, contact_id, id, channel_id, 'Four weeks.', 'bot', 'operator', 'quick', 'sent', domain_now()
      from dialogues where id = ${lead.dialogueId}`);
  await confirm(page, 'send_message');
  await expectPage(panel(page).getByText(/failed: quick has answered in the meantime: "Four weeks\."/)).toBeVisible();
  expect(await receivedBy(context, lead)).toHaveLength(1);
});

it('allows to confirm a long proposal only after all of it was shown', async () => {
  const page = await open(`dialogue-chat&dialogueId=${demo.dialogueId}&dialogueName=${LEAD}`, (one) =>
    one.getByRole('log', { name: 'Messages' }),
  );
  await ask(page, `Draft a message: "${HARMFUL_TEXT}"`);
  const one = proposal(page, 'draft_message');
  const yes = button(one, 'Confirm');
  await expectPage(yes).toBeDisabled();
  await expectPage(one).not.toContainText('4000 0000 0000 0002');
  await press(one, 'Show all');
  await expectPage(one).toContainText('4000 0000 0000 0002');
  await expectPage(yes).toBeEnabled();
});

it('opens a page from any other page, and reports a tool that failed', async () => {
  const page = await open('dashboard', (one) => one.getByRole('region', { name: 'Messages per day' }));
  await ask(page, 'Open the page Leads');
  await expectPage(page.getByRole('heading', { name: 'Leads', level: 1 })).toBeVisible();
  await page.route(/\/v1\/leads\/.*change_stage/, (route) => route.fulfill({ status: 500, json: { detail: 'No' } }));
  await ask(page, `Change the stage of ${LEAD} to success`);
  await confirm(page, 'change_stage');
  await expectPage(panel(page).getByText(/^✗ Change stage failed: /)).toBeVisible();
});
