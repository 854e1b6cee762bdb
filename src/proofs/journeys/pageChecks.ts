/** Every page of the console in its initial state, and further states worth checking. */
import type { Page } from '@playwright/test';
import { products } from '../../products/contract.ts';
import { assistantPageChecks } from './assistantPageChecks.ts';
import { crmPageChecks } from './crmPageChecks.ts';
import { type DemoIds, LEAD } from './demoData.ts';
import { experimentPageChecks } from './experimentPageChecks.ts';
import { button, dialog, role, text } from './find.ts';
import { inboxPageChecks } from './inboxPageChecks.ts';
import { insightsPageChecks } from './insightsPageChecks.ts';
import { check, checkOutside, type PageCheck } from './pageCheck.ts';
import { securityPageChecks } from './securityPageChecks.ts';
import { settingsPageChecks } from './settingsPageChecks.ts';
import { expectPage } from './signIn.ts';
import { choose, click, fill, keys, openRowMenu, press, type Step, shows } from './steps.ts';
import { answer, clearSelection, signOut } from './stubs.ts';
import { studioPageChecks } from './studioPageChecks.ts';
import { systemPageChecks } from './systemPageChecks.ts';

const openFirst = click((page) => page.locator('[data-row-opener]').first());

async function chooseFile(page: Page): Promise<void> {
  const table = [
    'Name,WhatsApp,Telegram,city,budget',
    'Ada Sample,+44 7700 900123,,London,9000',
    'Bo Sample,,@bo_sample,Riga,4500',
    ',not a number,,,',
  ];
  const file = { name: 'fair.csv', mimeType: 'text/csv', buffer: Buffer.from(table.join('\n')) };
  await page.locator('input[type=file]').setInputFiles(file);
  await expectPage(page.getByRole('combobox', { name: 'Import column city as' })).toBeVisible();
}

async function openMenu(page: Page): Promise<void> {
  const burger = button('Menu')(page);
  if (await burger.isVisible()) await burger.click();
}

const choice = dialog('Select company & product');
const figures = role('region', 'Messages per day');

const startPageChecks: readonly PageCheck[] = [
  checkOutside('login', '/auth/login', { prepare: signOut, ready: text(/^This is a sandbox/) }),
  check('crm-leads', '', { name: 'choice-of-product', prepare: clearSelection, ready: choice }),
  check('dashboard', '', { ready: figures }),
  check('dashboard', 'diff', {
    ready: figures,
    act: [press('Test text diff'), click(role('button', /^Sample/)), press('Show Diff')],
  }),
  check('channels'),
  check('crm-companies'),
  check('crm-companies', 'delete', { act: [openRowMenu('Delete'), shows(dialog('Delete'))] }),
  check('crm-products'),
  check('crm-products', 'form', { act: [openFirst, shows(dialog(/^Edit/))] }),
  check('crm-leads', '', { name: 'shortcuts', act: [keys('?'), shows(dialog('Help'))] }),
  check('crm-leads', '', {
    name: 'palette',
    act: [
      keys('Control+k'),
      (page) => page.getByRole('combobox', { name: 'Go to' }).fill('anna'),
      shows(role('option', LEAD)),
    ],
  }),
  check('crm-leads', '', { name: 'menu', act: [openMenu] }),
];

const promptText = role('textbox', 'Text of the prompt');
const promptAt = ({ promptId }: DemoIds) => `promptId=${promptId}`;

/** Answer as if the product kept drafts. */
const keepsDrafts: Step = (page) =>
  page.route(/\/v1\/products\/\d+$/, async (route) => {
    const product = products.get.replies[200].parse(await (await route.fetch()).json());
    await route.fulfill({ json: { ...product, config: { ...product.config, gate: 'warn' } } });
  });

const promptPageChecks: readonly PageCheck[] = [
  check('prompts'),
  check('prompts', 'drafts', { stubs: [keepsDrafts], ready: role('columnheader', 'Live version') }),
  check('prompts', 'classification', {
    act: [press('Classification: after 1 min'), shows(role('combobox', 'Classification prompt'))],
  }),
  check('prompts', '', {
    name: 'prompt-detail-classification',
    // All prompts on one page of the list, however many the demo has.
    at: 'list_size=100',
    act: [click(role('link', 'Where it stands')), shows(role('region', 'Classification'))],
  }),
  check('prompt-detail', '', {
    at: promptAt,
    ready: promptText,
    act: [
      choose('Lead of preview 1', LEAD),
      fill('Text of the prompt', 'Dear {{ lead.nmae }}'),
      shows(text('Unknown variable lead.nmae')),
    ],
  }),
  check('prompt-detail', 'blank', { ready: promptText }),
  check('prompt-detail', 'history', {
    at: promptAt,
    ready: role('tab', 'History'),
    act: [click(role('tab', 'History')), press('Show Diff'), shows(role('region', 'Differences'))],
  }),
  check('prompt-groups'),
  check('prepared-messages'),
  check('prepared-message-detail', '', {
    at: ({ messageId }) => `messageId=${messageId}`,
    ready: role('heading', 'First message after the fair'),
  }),
  check('prepared-message-detail', 'blank', { ready: role('heading') }),
  check('document-prompts'),
];

const leadAt = ({ leadId }: DemoIds) => `leadId=${leadId}`;
const contactAt = ({ contactId }: DemoIds) => `contactId=${contactId}`;
const importReady = button('Choose a file');
const whatToSend = role('radiogroup', 'What to send');
const failure = answer('/v1/leads/', { detail: 'The database does not answer.', request_id: 'req-1' }, { status: 500 });

const leadPageChecks: readonly PageCheck[] = [
  check('crm-leads'),
  check('crm-leads', 'filtered', { at: 'stage=initial,started,ongoing,pending&is_active=true&list_size=10' }),
  check('crm-leads', 'chosen', {
    act: [(page) => page.getByRole('checkbox', { name: 'Select all on this page' }).check()],
  }),
  check('crm-leads', 'tags', {
    act: [
      (page) => page.getByRole('checkbox', { name: 'Select all on this page' }).check(),
      press('Tags'),
      shows(dialog('Change tags')),
    ],
  }),
  check('crm-leads', 'views', { act: [press('Views'), shows(role('menuitem', 'Save view'))] }),
  check('crm-leads', 'pause', { act: [press('Pause outreach'), shows(dialog(/^Pause outreach of/))] }),
  check('crm-leads', 'row-menu', { act: [openRowMenu()] }),
  check('crm-leads', 'empty', { at: 'search=nobody+is+called+this', ready: text('No leads found') }),
  check('crm-leads', 'failed', { stubs: [failure], ready: role('alert') }),
  check('lead-detail', '', { at: leadAt, ready: text(/^Why not now/) }),
  check('lead-detail', 'stage', {
    at: leadAt,
    ready: button('Change stage'),
    act: [press('Change stage'), shows(dialog('Change stage'))],
  }),
  check('lead-detail', 'blank', { ready: role('textbox', 'Name') }),
  check('lead-detail', 'gone', { at: 'leadId=999999&leadName=Somebody', ready: text('There is no such lead.') }),
  check('crm-lead-contacts', '', { at: leadAt }),
  check('contacts'),
  check('crm-contact-dialogues', '', { at: contactAt }),
  check('crm-lead-events'),
  check('leads-import', '', { ready: importReady }),
  check('leads-import', 'columns', { ready: importReady, act: [chooseFile] }),
  check('leads-import', 'rows', {
    ready: importReady,
    act: [chooseFile, press(/^Check 3 rows/), shows(button(/^Import 2 leads/))],
  }),
  check('crm-dialogues'),
  check('crm-messages'),
  check('send-message', '', { at: contactAt, ready: whatToSend }),
  check('send-message', 'later', {
    at: contactAt,
    ready: whatToSend,
    act: [
      click((page) => page.getByText('Prepared message', { exact: true })),
      click(role('combobox', 'Prepared message')),
      click(role('option', 'First message after the fair')),
      (page) => page.getByRole('switch', { name: 'Send later' }).check({ force: true }),
      shows(role('region', 'Text of the prepared message')),
    ],
  }),
];

const outsidePageChecks: readonly PageCheck[] = [
  checkOutside('guide', '/guide/', {
    ready: role('heading', 'Rapport guide'),
    act: [
      (page) => page.getByRole('searchbox', { name: 'Search the guide' }).fill('daily limit'),
      shows(role('list', 'Found')),
    ],
  }),
  checkOutside('guide-channels', '/guide/channels#what-the-session-says', {
    ready: role('heading', 'What the session says'),
  }),
  checkOutside('sandbox', '/sandbox', {
    ready: role('searchbox', 'Search leads'),
    act: [
      (page) => page.getByRole('searchbox', { name: 'Search leads' }).fill('Anna'),
      click(text('Anna')),
      shows(role('log', 'What the lead sees')),
    ],
  }),
];

export const pageChecks: readonly PageCheck[] = [
  ...startPageChecks,
  ...crmPageChecks,
  ...settingsPageChecks,
  ...assistantPageChecks,
  ...securityPageChecks,
  ...systemPageChecks,
  ...promptPageChecks,
  ...leadPageChecks,
  ...inboxPageChecks,
  ...insightsPageChecks,
  ...experimentPageChecks,
  ...studioPageChecks,
  ...outsidePageChecks,
];
