/** Every page of the console in its initial state, and further states worth checking. */
import type { Page } from '@playwright/test';
import { assistantPageChecks } from './assistantPageChecks.ts';
import { crmPageChecks } from './crmPageChecks.ts';
import { LEAD } from './demoData.ts';
import {
  button,
  check,
  checkOutside,
  clearSelection,
  click,
  dialog,
  failCalls,
  fill,
  keys,
  openRowMenu,
  type PageCheck,
  press,
  role,
  shows,
  signOut,
  text,
  within,
} from './pageCheck.ts';
import { securityPageChecks } from './securityPageChecks.ts';
import { settingsPageChecks } from './settingsPageChecks.ts';
import { expectPage } from './signIn.ts';
import { systemPageChecks } from './systemPageChecks.ts';

const promptText = role('textbox', 'Text of the prompt');
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

const showsPromptOf = (name: string): PageCheck =>
  // All prompts on one page of the list, however many the demo has.
  ({
    ...check('prompts', '', {
      at: 'list_size=100',
      act: [
        click((page) => page.getByRole('link', { name })),
        shows(role('region', /^(Classification|Refusal qualification)$/)),
      ],
    }),
    name: `prompt-detail-${name.replaceAll(/\W+/g, '-').toLowerCase()}`,
  });

const startPageChecks: readonly PageCheck[] = [
  checkOutside('login', '/auth/login', { prepare: signOut, ready: text(/^This is a sandbox/) }),
  {
    ...check('crm-leads', '', { prepare: clearSelection, ready: dialog('Select company & product') }),
    name: 'choice-of-product',
  },
  check('dashboard', '', { ready: role('region', 'Messages per day') }),
  check('dashboard', 'diff', {
    ready: role('region', 'Messages per day'),
    act: [
      press('Test text diff'),
      click(role('button', /^Sample/)),
      press('Show Diff'),
      shows(role('region', 'Differences')),
    ],
  }),
  check('channels'),
  check('crm-companies'),
  check('crm-companies', 'delete', { act: [openRowMenu('Delete'), shows(dialog('Delete'))] }),
  check('crm-products'),
  check('crm-products', 'form', { act: [openFirst, shows(dialog(/^Edit/))] }),
  { ...check('crm-leads', '', { act: [keys('?'), shows(dialog('Help'))] }), name: 'shortcuts' },
  {
    ...check('crm-leads', '', {
      act: [
        keys('Control+k'),
        (page) => page.getByRole('combobox', { name: 'Go to' }).fill('anna'),
        shows(within(role('dialog'), (palette) => palette.getByRole('option', { name: LEAD }))),
      ],
    }),
    name: 'palette',
  },
  {
    ...check('crm-leads', '', {
      act: [
        async (page) => {
          const burger = button('Menu')(page);
          if (await burger.isVisible()) await burger.click();
        },
      ],
    }),
    name: 'menu',
  },
];

const promptPageChecks: readonly PageCheck[] = [
  check('prompts'),
  check('prompts', 'classification', {
    act: [
      press('Classification: after 1 min'),
      (page) => expectPage(dialog('Classification')(page).getByRole('switch')).toBeChecked(),
    ],
  }),
  ...['Where it stands', 'Is it really a refusal?'].map(showsPromptOf),
  check('prompt-detail', '', {
    at: ({ promptId }) => `promptId=${promptId}`,
    ready: promptText,
    act: [
      (page) => page.getByRole('combobox', { name: 'Lead of preview 1', exact: true }).fill(LEAD),
      click(role('option', LEAD)),
      (page) => expectPage(role('region', 'Text of preview 1')(page)).toContainText(LEAD),
      fill('Text of the prompt', 'Dear {{ lead.nmae }}'),
      shows(text('Unknown variable lead.nmae')),
    ],
  }),
  check('prompt-detail', 'blank', { ready: promptText }),
  check('prompt-detail', 'history', {
    at: ({ promptId }) => `promptId=${promptId}`,
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

const importReady = button('Choose a file');
const stageButton = button('Change stage');
const whatToSend = role('radiogroup', 'What to send');

const leadPageChecks: readonly PageCheck[] = [
  check('crm-leads'),
  check('crm-leads', 'filtered', { at: 'stage=initial,started,ongoing,pending&is_active=true&list_size=10' }),
  check('crm-leads', 'chosen', {
    act: [(page) => page.getByRole('checkbox', { name: 'Select all on this page' }).check()],
  }),
  check('crm-leads', 'row-menu', { act: [openRowMenu()] }),
  check('crm-leads', 'empty', { at: 'search=nobody+is+called+this', ready: text('No leads found') }),
  check('crm-leads', 'failed', { stubs: [failCalls('/v1/leads/')], ready: role('alert') }),
  check('lead-detail', '', { at: ({ leadId }) => `leadId=${leadId}`, ready: role('heading', 'Recent events') }),
  check('lead-detail', 'stage', {
    at: ({ leadId }) => `leadId=${leadId}`,
    ready: stageButton,
    act: [press('Change stage'), shows(dialog('Change stage'))],
  }),
  check('lead-detail', 'follow-up', { at: ({ leadId }) => `leadId=${leadId}`, ready: text(/^Why not now/) }),
  check('lead-detail', 'blank', { ready: role('textbox', 'Name') }),
  check('lead-detail', 'gone', { at: 'leadId=999999&leadName=Somebody', ready: text('There is no such lead.') }),
  check('crm-lead-contacts', '', { at: ({ leadId }) => `leadId=${leadId}&leadName=Anna` }),
  check('contacts'),
  check('crm-contact-dialogues', '', { at: ({ contactId }) => `contactId=${contactId}` }),
  check('crm-lead-events'),
  check('leads-import', '', { ready: importReady }),
  check('leads-import', 'columns', { ready: importReady, act: [chooseFile] }),
  check('leads-import', 'rows', {
    ready: importReady,
    act: [chooseFile, press(/^Check 3 rows/), shows(button(/^Import 2 leads/))],
  }),
  check('crm-dialogues'),
  check('crm-messages'),
  check('send-message', '', { at: ({ contactId }) => `contactId=${contactId}`, ready: whatToSend }),
  check('send-message', 'later', {
    at: ({ contactId }) => `contactId=${contactId}`,
    ready: whatToSend,
    act: [
      (page) => page.getByText('Prepared message', { exact: true }).click(),
      click(role('combobox', 'Prepared message')),
      click(role('option', 'First message after the fair')),
      (page) => page.getByRole('switch', { name: 'Send later' }).check({ force: true }),
      (page) => expectPage(role('region', 'Text of the prepared message')(page)).toContainText('Good day'),
    ],
  }),
];

const outsidePageChecks: readonly PageCheck[] = [
  checkOutside('guide', '/guide/', {
    ready: role('heading', 'Rapport guide'),
    act: [
      (page) => page.getByRole('searchbox', { name: 'Search the guide' }).fill('daily limit'),
      shows(within(role('list', 'Found'), (list) => list.getByRole('link').first())),
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
      shows(within(role('log', 'What the lead sees'), (log) => log.getByRole('article').first())),
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
  ...outsidePageChecks,
];
