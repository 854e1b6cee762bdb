/**
 * How many clicks and keys the ten most common tasks take, counted in the browser while they are done. The table is
 * docs/clicks.md; `vitest run -u` writes it.
 */
import type { BrowserContext, Page } from '@playwright/test';
import { beforeAll, expect, it } from 'vitest';
import { toCsv } from '../../platform/csv.ts';
import { expectHeading } from './actions.ts';
import { call, createLead, type JourneyLead, receivedBy, writeAs } from './calls.ts';
import { type CountedActions, countActions, insert, type Press } from './countedActions.ts';
import { query, setUpJourney } from './journeySetup.ts';
import { bubble, button, dialogOf, main, ownerOf, row, section, threadOf } from './locators.ts';
import { QUESTION } from './phone.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney({ withoutOutreach: true });

/** What the best peer takes. `limit`: in clicks, or in keys where that is how the peer does it. */
interface Peer {
  readonly text: string;
  readonly limit: number;
}

interface Row {
  readonly task: string;
  readonly clicks: string;
  readonly keys: string;
  readonly peer: string;
}

const rows = new Map<string, Row>();
const TASKS = [
  'See who waits for a person',
  'Send an answer and open the next who waits',
  'Take a dialogue over / give it back',
  'See why a lead gets no message',
  'Send a failed message again',
  'Get from a bad answer to trying a fix, with the same conversation',
  "See yesterday's opt-outs",
  'Compare what models cost',
  'Set up three follow-ups with their texts',
  'Import 200 leads',
] as const;
type Task = (typeof TASKS)[number];

/** Note a task's figures, and expect that they are not worse than the peer's. */
function note(task: Task, done: { clicks: readonly number[]; keys?: readonly number[] }, peer: Peer): void {
  const join = (counts: readonly number[] | undefined) => counts?.join(' / ') ?? '–';
  rows.set(task, { task, clicks: join(done.clicks), keys: join(done.keys), peer: peer.text });
  for (const [index, clicks] of done.clicks.entries())
    expect(Math.min(clicks, done.keys?.[index] ?? clicks), task).toBeLessThanOrEqual(peer.limit);
}

/** Count the clicks of a task that is done by mouse alone. */
async function byMouse(page: Page, task: (page: Page) => Promise<void>): Promise<number> {
  const { clicks, keys } = await counted(page, task);
  expect(keys).toBe(0);
  return clicks;
}

/** Count the keys of a task that is done by keyboard alone. */
async function byKeyboard(page: Page, task: (page: Page, press: Press) => Promise<void>): Promise<number> {
  const { clicks, keys } = await counted(page, (one) => task(one, (key) => one.keyboard.press(key)));
  expect(clicks).toBe(0);
  return keys;
}

let counter: CountedActions;
async function counted(page: Page, task: (page: Page) => Promise<void>) {
  counter.reset();
  await task(page);
  return counter.read();
}

let operator: { context: BrowserContext; page: Page };
const start = async () => {
  operator = await startOperator();
  counter = await countActions(operator.context);
  return operator;
};

const menu = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}`) });
const inboxRows = (page: Page) => page.getByRole('region', { name: 'Dialogues', exact: true }).getByRole('link');
const rowOf = (page: Page, lead: JourneyLead) => inboxRows(page).filter({ hasText: lead.name });
const waiting = (page: Page) => page.getByRole('group', { name: 'Views' }).getByRole('link', { name: 'Needs me' });

/** A lead who has written in a dialogue that people have. */
async function waitingLead(context: BrowserContext, name: string): Promise<JourneyLead> {
  const lead = await createLead(context, name);
  await call(context, 'POST', `/v1/dialogues/${lead.dialogueId}/owner`, { owner: 'human' });
  await writeAs(context, lead, QUESTION);
  return lead;
}

/** Open the palette, type, and take its first answer. */
async function goByPalette(page: Page, press: Press, text: string): Promise<void> {
  await press('Control+k');
  await expectPage(page.getByRole('combobox', { name: 'Go to' })).toBeFocused();
  await insert(page, text);
  await expectPage(page.getByRole('dialog').getByRole('option', { selected: true })).toContainText(text);
  await press('Enter');
}

beforeAll(() =>
  query(`update lead_events set created_at = domain_now() - interval '1 day'
          where event_type = 'deactivated' and lead_id = (select id from leads where name = 'Dexter Roundabout')`),
);

it('shows who waits', async () => {
  const { page } = await start();
  await goTo(page, 'dashboard');
  await expectHeading(page, 'Dashboard');
  const clicks = await byMouse(page, async () => {
    await menu(page, 'Inbox').click();
    await expectPage(waiting(page)).toContainText(/\d/);
  });
  await goTo(page, 'dashboard');
  await expectHeading(page, 'Dashboard');
  const keys = await byKeyboard(page, async (_, press) => {
    await goByPalette(page, press, 'Inbox');
    await expectPage(waiting(page)).toContainText(/\d/);
  });
  note('See who waits for a person', { clicks: [clicks], keys: [keys] }, { text: '1 click (Chatwoot)', limit: 1 });
});

it('answers, and goes on to the next', async () => {
  const { context, page } = await start();
  const [first, second] = [await waitingLead(context, 'First Waiting'), await waitingLead(context, 'Second Waiting')];
  const open = async (lead: JourneyLead) => {
    await goTo(page, `inbox&search=Waiting&dialogueId=${lead.dialogueId}`);
    await expectPage(rowOf(page, lead)).toBeVisible();
    await expectPage(threadOf(page).getByText(QUESTION)).toBeVisible();
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Four weeks.');
  };
  const isNext = (lead: JourneyLead) =>
    expectPage(page.getByRole('heading', { name: lead.name, level: 2, exact: true })).toBeVisible();
  await open(first);
  const keys = await byKeyboard(page, async (_, press) => {
    await press('Control+Shift+Enter');
    await isNext(second);
  });
  await writeAs(context, first, 'And then?');
  await open(second);
  const clicks = await byMouse(page, async () => {
    await button(page, 'More ways to send').click();
    await page.getByRole('menuitem', { name: 'Send and next' }).click();
    await isNext(first);
  });
  const peer = { text: '1 key (Intercom)', limit: 1 };
  note('Send an answer and open the next who waits', { clicks: [clicks], keys: [keys] }, peer);
});

it('takes over, and gives back', async () => {
  const { context, page } = await start();
  const lead = await createLead(context, 'Owned Lead');
  await writeAs(context, lead, QUESTION);
  await goTo(page, `dialogue-chat&dialogueId=${lead.dialogueId}`);
  await expectPage(ownerOf(page)).toHaveText('Bot is answering');
  // Where the lead waits for an answer, handing back asks first.
  await expectPage.poll(() => receivedBy(context, lead)).toHaveLength(1);
  const isMine = () => expectPage(ownerOf(page)).toHaveText('demo is replying');
  const isBots = () => expectPage(ownerOf(page)).toHaveText('Bot is answering');
  const clicks = [
    await byMouse(page, () => button(page, 'Take over').click().then(isMine)),
    await byMouse(page, () => button(page, 'Hand back to bot').click().then(isBots)),
  ];
  const keys = [
    await byKeyboard(page, (_, press) => press('t').then(isMine)),
    await byKeyboard(page, (_, press) => press('b').then(isBots)),
  ];
  note('Take a dialogue over / give it back', { clicks, keys }, { text: '1 / 1 clicks', limit: 1 });
});

it('says why a lead gets no message', async () => {
  const { page } = await start();
  await goTo(page, 'dashboard');
  await expectHeading(page, 'Dashboard');
  const clicks = await byMouse(page, async () => {
    await menu(page, 'Leads').click();
    await page.getByRole('searchbox').first().click();
    await insert(page, 'Anna S');
    await expectPage(row(page, 'Anna Snegurkina')).toContainText('The product has no follow-ups');
  });
  await goTo(page, 'dashboard');
  await expectHeading(page, 'Dashboard');
  const keys = await byKeyboard(page, async (_, press) => {
    await goByPalette(page, press, 'Anna Snegurkina');
    await expectPage(main(page).getByText('The product has no follow-ups').first()).toBeVisible();
  });
  note('See why a lead gets no message', { clicks: [clicks], keys: [keys] }, { text: 'None says it', limit: 2 });
});

it('sends a failed message again', async () => {
  const { page } = await start();
  await goTo(page, 'dashboard');
  const clicks = await byMouse(page, async () => {
    await section(page, 'Needs attention')
      .getByRole('link', { name: /^Messages that failed/ })
      .click();
    await button(row(page, 'Gladly! Here they are'), 'Retry').click();
    await expectPage(page.getByText('Sending again')).toBeVisible();
  });
  note('Send a failed message again', { clicks: [clicks] }, { text: '2 clicks', limit: 2 });
});

it('opens a bad answer in the playground', async () => {
  const { page } = await start();
  const [dialogue] = await query(`select d.id from dialogues d join contacts c on c.id = d.contact_id
    join leads l on l.id = c.lead_id where l.name = 'Anna Snegurkina'`);
  await goTo(page, `dialogue-chat&dialogueId=${String(dialogue?.['id'])}`);
  const answer = bubble(page, 'Fronts in oak, ash and lacquer');
  await expectPage(answer).toBeVisible();
  const clicks = await byMouse(page, async () => {
    await answer.getByRole('button', { name: /Kitchen consultant/ }).click();
    await page.getByRole('link', { name: 'Open in the playground' }).click();
    await expectPage(page.getByRole('log', { name: 'Conversation' })).toContainText('A window in the middle');
    await expectPage(button(page, 'Answer again')).toBeEnabled();
  });
  const peer = { text: '2 clicks (Langfuse)', limit: 2 };
  note('Get from a bad answer to trying a fix, with the same conversation', { clicks: [clicks] }, peer);
});

it("shows yesterday's opt-outs", async () => {
  const { page } = await start();
  await goTo(page, 'dashboard');
  const clicks = await byMouse(page, async () => {
    await section(page, 'Stages').getByRole('link', { name: 'Yesterday' }).click();
    await expectPage(row(page, 'Dexter Roundabout')).toBeVisible();
    await expectPage(row(page, 'Зоя Хозяюшкина')).toHaveCount(0);
  });
  note("See yesterday's opt-outs", { clicks: [clicks] }, { text: '2 clicks', limit: 2 });
});

it('compares what models cost', async () => {
  const { page } = await start();
  await goTo(page, 'dashboard');
  const clicks = await byMouse(page, async () => {
    await button(page, 'Spending by model').click();
    await expectPage(dialogOf(page, 'Model spending')).toContainText('gpt-4o-mini');
  });
  note('Compare what models cost', { clicks: [clicks] }, { text: '1 click', limit: 1 });
});

it('sets up three follow-ups', async () => {
  const { page } = await start();
  await goTo(page, 'dashboard');
  await expectHeading(page, 'Dashboard');
  const write = async (name: string, text: string) => {
    await button(page, name).click();
    const dialog = dialogOf(page, 'New prepared message');
    await expectPage(dialog.getByRole('textbox', { name: 'Message' })).toBeFocused();
    await insert(page, text);
    await button(dialog, 'Create').click();
    await expectPage(dialog).toHaveCount(0);
  };
  const clicks = await byMouse(page, async () => {
    await page.getByRole('navigation').getByRole('button', { name: 'Settings' }).click();
    await menu(page, 'Ping').click();
    await write('Write the first message', 'Is the kitchen still on your mind?');
    await write('Write the next message', 'The designer brings samples of all fronts.');
    await write('Write the next message', 'This is my last message for now.');
    await button(page, 'Save Configuration').click();
    await expectPage(page.getByText('Ping configuration saved successfully!')).toBeVisible();
  });
  note('Set up three follow-ups with their texts', { clicks: [clicks] }, { text: '9 clicks (lemlist)', limit: 9 });
});

it('imports 200 leads', async () => {
  const { page } = await start();
  await goTo(page, 'dashboard');
  await expectHeading(page, 'Dashboard');
  const people = Array.from({ length: 200 }, (_, index) => [`Imported ${index}`, `+3712055${String(1000 + index)}`]);
  const buffer = Buffer.from(toCsv([['Name', 'WhatsApp'], ...people]));
  const clicks = await byMouse(page, async () => {
    await menu(page, 'Leads').click();
    await button(main(page), 'Import').click();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(page, 'Choose a file').click()]);
    await chooser.setFiles({ name: 'leads.csv', mimeType: 'text/csv', buffer });
    await button(page, 'Check 200 rows').click();
    await button(page, 'Import 200 leads').click();
    await expectPage(page.getByText('200 leads imported')).toBeVisible();
  });
  note('Import 200 leads', { clicks: [clicks] }, { text: '5 clicks or more', limit: 5 });
});

/** A table as the formatter of the docs leaves it. */
function alignedTable([head = [], ...body]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`;
  return [line(head), line([], '-'), ...body.map((row) => line(row))].join('\n');
}

const INTRO = `# Clicks and keys

What the ten most common tasks take in the console. A script counts in a browser, on the demo, while it does each task in the fewest steps: _clicks_ with the mouse alone, _keys_ with the keyboard alone where keys lead there. A combination such as \`Ctrl Shift Enter\` is one key; what is typed (a text, a name that is searched) does not count. Every task starts on the dashboard but the second, third and sixth, which start in the open dialogue. The last column is what the best comparable product takes.`;

it('has all of them in the page of the docs', async () => {
  const cells = TASKS.map((task) => rows.get(task)).filter((one) => one !== undefined);
  expect(cells).toHaveLength(TASKS.length);
  const tasks = alignedTable([
    ['Task', 'Clicks', 'Keys', 'Best peer'],
    ...cells.map(({ task, clicks, keys, peer }) => [task, clicks, keys, peer]),
  ]);
  await expect(`${INTRO}\n\n${tasks}\n`).toMatchFileSnapshot('../../../docs/clicks.md');
});
