/** The pages of leads, and what is opened over them. */
import { button, chooseFile, dialog, openRowMenu } from './acts.ts';
import { LEAD } from './demo.ts';
import { see } from './signIn.ts';
import { fail, plain, type Visit } from './visit.ts';

export const leadVisits: readonly Visit[] = [
  plain('crm-leads'),
  {
    name: 'crm-leads-filtered',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&stage=initial,started,ongoing,pending&is_active=true&list_size=10',
  },
  {
    ...plain('crm-leads'),
    name: 'crm-leads-chosen',
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    },
  },
  {
    ...plain('crm-leads'),
    name: 'crm-leads-row-menu',
    act: openRowMenu,
  },
  {
    name: 'crm-leads-empty',
    page: 'crm-leads',
    address: () => '/?page=crm-leads&search=nobody+is+called+this',
    shows: (page) => page.getByText('No leads found'),
  },
  {
    ...plain('crm-leads'),
    name: 'crm-leads-failed',
    before: (page) => fail(page, '/v1/leads/'),
    shows: (page) => page.getByRole('alert'),
  },
  {
    ...plain('crm-leads'),
    name: 'palette',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Go to' }).fill('an');
      await see(page.getByRole('dialog').getByRole('button', { name: LEAD })).toBeVisible();
    },
  },
  {
    ...plain('crm-leads'),
    name: 'shortcuts',
    act: async (page) => {
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
    act: async (page) => {
      await button(page, 'Change stage').click();
      await see(dialog(page, 'Change stage')).toBeVisible();
    },
  },
  {
    ...plain('lead-detail'),
    name: 'lead-detail-blank',
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
  plain('contacts'),
  {
    name: 'crm-contact-dialogues',
    page: 'crm-contact-dialogues',
    address: ({ contactId }) => `/?page=crm-contact-dialogues&contactId=${contactId}`,
  },
  plain('crm-lead-events'),
  {
    ...plain('leads-import'),
    shows: (page) => button(page, 'Choose a file'),
  },
  {
    ...plain('leads-import'),
    name: 'leads-import-columns',
    shows: (page) => button(page, 'Choose a file'),
    act: chooseFile,
  },
  {
    ...plain('leads-import'),
    name: 'leads-import-rows',
    shows: (page) => button(page, 'Choose a file'),
    act: async (page) => {
      await chooseFile(page);
      await page.getByRole('button', { name: /^Check 3 rows/ }).click();
      await see(button(page, /^Import 2 leads/)).toBeVisible();
    },
  },
];
