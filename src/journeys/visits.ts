/** Every page of the console as an operator comes to it, and the states of pages that are worth a look. */
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { z } from 'zod';
import { contacts, leads } from '../leads/contract.ts';
import { documentPrompts, preparedMessages, promptGroups, prompts } from '../prompts/contract.ts';
import { ask, choice } from './ask.ts';
import { PRODUCT, see } from './signIn.ts';

/** What the addresses name. */
export interface Demo {
  readonly url: string;
  readonly leadId: number;
  readonly contactId: number;
  readonly dialogueId: number;
  readonly promptId: number;
  readonly messageId: number;
}

export interface Visit {
  /** In reports, and of its pictures. */
  readonly name: string;
  /** The key in the console's registry; null: beside the console. */
  readonly page: string | null;
  readonly address: (demo: Demo) => string;
  /** Before the page is opened; gives what takes it back. */
  readonly before?: (page: Page, demo: Demo) => Promise<() => Promise<void>>;
  /** What is there once the page is loaded; by default the first row of a list. */
  readonly shows?: (page: Page) => Locator;
  /** What is done then, to come to the state that is meant. */
  readonly then?: (page: Page) => Promise<void>;
}

const LEAD = 'Anna Snegurkina';
const REVISED = 'Prompt of the kitchens';
const ANSWER = 'Reference';

/** Makes what the demo lacks, in its product, and finds what the addresses name. */
export async function prepareDemo(context: BrowserContext, url: string): Promise<Demo> {
  const { productId: product_id } = await choice(context, url, PRODUCT);
  const find = async (path: string, query: Record<string, string | number>) => {
    const search = new URLSearchParams(Object.entries({ product_id, ...query }).map(([k, v]) => [k, String(v)]));
    const list = await ask(context, url, 'GET', `${path}?${search}`);
    return z.object({ items: z.tuple([z.object({ id: z.int() })], z.unknown()) }).parse(list).items[0].id;
  };
  const make = async (path: string, body: Record<string, unknown>) =>
    z.object({ id: z.int() }).parse(await ask(context, url, 'POST', path, { product_id, ...body })).id;
  const leadId = await find(leads.list.path, { search: LEAD });
  const contactId = await find(contacts.list.path, { lead_id: leadId });
  const dialogueId = await find('/v1/dialogues/', { search: LEAD });

  const group_id = await make(promptGroups.create.path, {
    name: ANSWER,
    description: 'What the bot looks up when the lead asks about materials, delivery or guarantees.',
  });
  const promptId = await make(prompts.create.path, { name: REVISED, type: 'prompt', text: FIRST_TEXT });
  await ask(context, url, 'PATCH', `${prompts.list.path}${promptId}`, { text: SECOND_TEXT });
  await make(prompts.create.path, {
    name: 'Materials of worktops',
    type: 'subprompt',
    text: 'Oak is oiled, stone is sealed once a year, laminate needs nothing.',
    group_id,
    rag_description: 'The lead asks what a worktop is made of or how it is looked after.',
  });
  const offer = await make(prompts.create.path, {
    name: 'Offer as a document',
    type: 'document',
    text: 'Write an offer for {{ lead.name }} with every piece that was agreed upon.',
  });
  await make(documentPrompts.create.path, { name: 'Offer', prompt_id: offer, document_type: 'offer', config: {} });
  const messageId = await make(preparedMessages.create.path, {
    name: 'First message after the fair',
    type: 'initial',
    message: 'Good day, {{ lead.name }}! We met at the fair. Shall I send you the drawings of the kitchen you liked?',
  });
  await make(preparedMessages.create.path, {
    name: 'Gentle reminder',
    type: 'ping',
    message: 'Did the drawings reach you?',
    is_follow_up: true,
  });
  return { url, leadId, contactId, dialogueId, promptId, messageId };
}

const FIRST_TEXT = `You advise {{ lead.name }} on kitchens made to measure.
Answer first, then ask one question.

# Facts
- A kitchen takes six weeks from the drawing to the last screw.
- Delivery within the city is free.`;
const SECOND_TEXT = `You advise {{ lead.name }} on kitchens made to measure.
Be brief. Answer first, then ask one question.

# Facts
- A kitchen takes five weeks from the drawing to the last screw.
- Delivery within the city is free.
- The guarantee is ten years.`;

/** Goes there and waits until everything of it has loaded. Gives what takes back what the visit needed. */
export async function visit(page: Page, demo: Demo, one: Visit): Promise<() => Promise<void>> {
  const undo = await one.before?.(page, demo);
  await page.goto(`${demo.url}${one.address(demo)}`);
  await see((one.shows ?? firstRow)(page)).toBeVisible();
  await loaded(page);
  if (one.then) {
    await one.then(page);
    await loaded(page);
  }
  return async () => undo?.();
}

/** No skeleton, no 'Loading ...', nothing that turns. */
async function loaded(page: Page): Promise<void> {
  await see(page.locator('.mantine-Skeleton-root:visible, .mantine-Loader-root:visible, [aria-busy=true]')).toHaveCount(
    0,
  );
  await see(page.getByText(/^(Loading|Searching|Checking)\b/).filter({ visible: true })).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready.then(() => null));
}

const firstRow = (page: Page) => page.locator('tbody tr:not([aria-hidden])').first();
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first();
const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, level: 1 });

/** A list page of ten rows, as it opens. */
function list(key: string): Visit {
  return { name: key, page: key, address: () => `/?page=${key}&list_size=10` };
}

async function openRowMenu(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Actions for/ })
    .first()
    .click();
  await see(page.getByRole('menu')).toBeVisible();
}

/** Answers the calls of a path with a failure of the server. */
async function fail(page: Page, path: string): Promise<() => Promise<void>> {
  const pattern = new RegExp(`${path}(\\?|$)`);
  await page.route(pattern, (route) =>
    route.fulfill({ status: 500, json: { detail: 'The database does not answer.', request_id: 'req-1' } }),
  );
  return () => page.unroute(pattern);
}

async function forgetChoice(page: Page): Promise<() => Promise<void>> {
  const context = page.context();
  const chosen = (await context.cookies()).filter(({ name }) => /^rapport_(company|product)_id$/.test(name));
  for (const { name } of chosen) await context.clearCookies({ name });
  return () => context.addCookies(chosen);
}

async function signOut(page: Page): Promise<() => Promise<void>> {
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  return () => page.context().addCookies(cookies);
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
    page: null,
    address: () => '/?page=crm-leads',
    before: forgetChoice,
    shows: (page) => dialog(page, 'Select company & product'),
  },
  {
    name: 'dashboard',
    page: 'dashboard',
    address: () => '/?page=dashboard',
    shows: (page) => page.getByRole('region', { name: 'Messages per day' }),
  },
  {
    name: 'dashboard-diff',
    page: 'dashboard',
    address: () => '/?page=dashboard',
    shows: (page) => page.getByRole('region', { name: 'Messages per day' }),
    then: compare,
  },
  list('channels'),
  list('crm-companies'),
  list('crm-products'),
  {
    name: 'crm-products-form',
    page: 'crm-products',
    address: () => '/?page=crm-products',
    then: async (page) => {
      await page.locator('[data-row-opener]').first().click();
      await see(dialog(page, /^Edit/)).toBeVisible();
    },
  },
  {
    name: 'crm-companies-delete',
    page: 'crm-companies',
    address: () => '/?page=crm-companies',
    then: async (page) => {
      await openRowMenu(page);
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await see(dialog(page, 'Delete')).toBeVisible();
    },
  },
  {
    name: 'crm-integrations',
    page: 'crm-integrations',
    address: () => '/?page=crm-integrations',
    shows: (page) => page.getByText('No CRM integrations found'),
  },
  list('crm-company-llms'),
  {
    name: 'crm-company-llms-form',
    page: 'crm-company-llms',
    address: () => '/?page=crm-company-llms',
    then: async (page) => {
      await button(page, 'New LLM credential').click();
      await see(dialog(page, 'New LLM credential')).toBeVisible();
      // The errors of a form that is not filled in.
      await dialog(page, 'New LLM credential').getByRole('button', { name: 'Create' }).click();
    },
  },
  list('prompts'),
  {
    name: 'prompt-detail',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    shows: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
    then: async (page) => {
      await page.getByRole('combobox', { name: 'Lead', exact: true }).fill(LEAD);
      await page.getByRole('option', { name: LEAD }).click();
      await see(page.getByRole('region', { name: 'Rendered text' })).toContainText(LEAD);
      await page.getByRole('textbox', { name: 'Text of the prompt' }).fill('Dear {{ lead.nmae }}');
      await see(page.getByText('Nothing fills in lead.nmae')).toBeVisible();
    },
  },
  {
    name: 'prompt-detail-blank',
    page: 'prompt-detail',
    address: () => '/?page=prompt-detail',
    shows: (page) => page.getByRole('textbox', { name: 'Text of the prompt' }),
  },
  {
    name: 'prompt-detail-history',
    page: 'prompt-detail',
    address: ({ promptId }) => `/?page=prompt-detail&promptId=${promptId}`,
    shows: (page) => page.getByRole('tab', { name: 'History' }),
    then: async (page) => {
      await page.getByRole('tab', { name: 'History' }).click();
      await button(page, 'Show Diff').click();
      await see(page.getByRole('region', { name: 'Differences' })).toBeVisible();
    },
  },
  list('prompt-groups'),
  list('prepared-messages'),
  {
    name: 'prepared-message-detail',
    page: 'prepared-message-detail',
    address: ({ messageId }) => `/?page=prepared-message-detail&messageId=${messageId}`,
    shows: heading('First message after the fair'),
  },
  {
    name: 'prepared-message-detail-blank',
    page: 'prepared-message-detail',
    address: () => '/?page=prepared-message-detail',
    shows: (page) => page.getByRole('heading', { level: 1 }),
  },
  list('document-prompts'),
  list('crm-leads'),
  {
    name: 'crm-leads-filtered',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&stage=initial,started,ongoing,pending&is_active=true&list_size=10',
  },
  {
    name: 'crm-leads-chosen',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&list_size=10',
    then: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    },
  },
  {
    name: 'crm-leads-row-menu',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&list_size=10',
    then: openRowMenu,
  },
  {
    name: 'crm-leads-empty',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&search=nobody+is+called+this',
    shows: (page) => page.getByText('No leads found'),
  },
  {
    name: 'crm-leads-failed',
    page: 'crm-leads',
    address: () => '/?page=crm-leads',
    before: (page) => fail(page, '/v1/leads/'),
    shows: (page) => page.getByRole('alert'),
  },
  {
    name: 'palette',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&list_size=10',
    then: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Go to' }).fill('an');
      await see(page.getByRole('dialog').getByRole('button', { name: LEAD })).toBeVisible();
    },
  },
  {
    name: 'shortcuts',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&list_size=10',
    then: async (page) => {
      await page.keyboard.press('?');
      await see(dialog(page, 'Keyboard shortcuts')).toBeVisible();
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
    then: async (page) => {
      await button(page, 'Change stage').click();
      await see(dialog(page, 'Change stage')).toBeVisible();
    },
  },
  {
    name: 'lead-detail-blank',
    page: 'lead-detail',
    address: () => '/?page=lead-detail',
    shows: (page) => page.getByRole('textbox', { name: 'Name', exact: true }),
  },
  {
    name: 'lead-detail-gone',
    page: 'lead-detail',
    address: () => '/?page=lead-detail&leadId=999999&leadName=Somebody',
    shows: (page) => page.getByRole('alert'),
  },
  {
    name: 'crm-lead-contacts',
    page: 'crm-lead-contacts',
    address: ({ leadId }) => `/?page=crm-lead-contacts&leadId=${leadId}&leadName=Anna`,
  },
  list('contacts'),
  {
    name: 'crm-contact-dialogues',
    page: 'crm-contact-dialogues',
    address: ({ contactId }) => `/?page=crm-contact-dialogues&contactId=${contactId}`,
  },
  list('crm-lead-events'),
  {
    name: 'leads-import',
    page: 'leads-import',
    address: () => '/?page=leads-import',
    shows: (page) => button(page, 'Choose a file'),
  },
  {
    name: 'leads-import-columns',
    page: 'leads-import',
    address: () => '/?page=leads-import',
    shows: (page) => button(page, 'Choose a file'),
    then: chooseFile,
  },
  {
    name: 'leads-import-rows',
    page: 'leads-import',
    address: () => '/?page=leads-import',
    shows: (page) => button(page, 'Choose a file'),
    then: async (page) => {
      await chooseFile(page);
      await page.getByRole('button', { name: /^Check 3 rows/ }).click();
      await see(button(page, /^Import 2 leads/)).toBeVisible();
    },
  },
  list('crm-dialogues'),
  {
    name: 'dialogue-chat',
    page: 'dialogue-chat',
    address: ({ dialogueId }) => `/?page=dialogue-chat&dialogueId=${dialogueId}`,
    shows: (page) => page.getByRole('log', { name: 'Messages' }).getByRole('article').last(),
  },
  list('crm-messages'),
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
    then: async (page) => {
      await page.getByText('Prepared message', { exact: true }).click();
      await page.getByRole('combobox', { name: 'Prepared message' }).click();
      await page.getByRole('option', { name: 'First message after the fair' }).click();
      await page.getByRole('switch', { name: 'Not before a moment' }).check({ force: true });
      await see(page.getByRole('region', { name: 'Text of the prepared message' })).toContainText('Good day');
    },
  },
  {
    name: 'menu',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&list_size=10',
    then: async (page) => {
      const burger = page.getByRole('button', { name: 'Menu', exact: true });
      if (await burger.isVisible()) await burger.click();
    },
  },
  {
    name: 'sandbox',
    page: null,
    address: () => '/sandbox',
    shows: (page) => page.getByRole('searchbox', { name: 'Search leads' }),
    then: async (page) => {
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
