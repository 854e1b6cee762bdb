/**
 * The guide's first hour, step by step, with the wording of `docs/guide/first-hour.md`: each step here carries the
 * heading of its section there. The journey runs it; the script that takes the guide's pictures (`npm run pictures`)
 * runs it too.
 */
import {
  button,
  dialog,
  expectText,
  type FirstHourSession,
  field,
  moveClock,
  open,
  openSettings,
  phoneOf,
  pick,
} from './firstHourActions.ts';
import {
  CHANNEL,
  COMPANY,
  GREETING,
  LEAD,
  MODEL_KEY,
  NUDGE,
  NUMBER,
  PRODUCT,
  PROMPT,
  QUESTION,
  SECOND_QUESTION,
} from './firstHourFixtures.ts';
import { expectPage } from './signIn.ts';

export interface Step {
  /** Heading of the step, as in the guide. */
  readonly heading: string;
  readonly run: (session: FirstHourSession) => Promise<void>;
}

export const FIRST_HOUR: readonly Step[] = [
  {
    heading: 'Start and sign in',
    async run({ page, url, capture: shoot }) {
      await page.goto(url);
      await expectPage(button(page, 'Log in')).toBeVisible();
      await shoot(page, 'first-hour-sign-in');
      await button(page, 'Log in').click();
      await dialog(page, 'Select company & product').getByRole('button', { name: 'Cancel' }).click();
      await expectText(page, 'No Product Selected');
    },
  },
  {
    heading: 'Make your company and your product',
    async run({ page, capture: shoot }) {
      await open(page, 'Companies');
      await button(page, 'New company').click();
      await field(page, 'Name').fill(COMPANY);
      await button(page, 'Create').click();
      await expectText(page, `Created ${COMPANY}`);
      await open(page, 'Products');
      await button(page, 'New product').click();
      await field(page, 'Name').fill(PRODUCT);
      await pick(page, 'Company', COMPANY);
      await button(page, 'Create').click();
      await expectText(page, `Created ${PRODUCT}`);
      await button(page, 'Change').click();
      const choice = dialog(page, 'Select company & product');
      await choice.getByRole('combobox', { name: 'Company' }).click();
      await page.getByRole('option', { name: COMPANY }).click();
      await choice.getByRole('combobox', { name: 'Product' }).click();
      await page.getByRole('option', { name: PRODUCT }).click();
      await shoot(page, 'first-hour-choice');
      await choice.getByRole('button', { name: 'OK' }).click();
      await expectPage(page.getByRole('navigation').getByText(PRODUCT).first()).toBeVisible();
    },
  },
  {
    heading: 'Connect a number',
    async run({ page, context, url, capture: shoot }) {
      const sandbox = await context.newPage();
      await sandbox.goto(`${url}/sandbox`);
      const keys = sandbox.getByRole('region', { name: 'Keys' });
      const key = await keys.getByText(/^sandbox-wazzup24-key/).innerText();
      await shoot(sandbox, 'first-hour-keys');
      await sandbox.close();
      await open(page, 'Channels');
      await button(page, 'Connect a channel').click();
      const connecting = dialog(page, 'Connect a channel');
      await connecting.getByRole('textbox', { name: 'API key' }).fill(key);
      await connecting.getByRole('button', { name: 'Find channels' }).click();
      await connecting.getByRole('radio', { name: /WhatsApp, free number/ }).check();
      await connecting.getByRole('textbox', { name: 'Name' }).fill(CHANNEL);
      await shoot(page, 'first-hour-connect-number');
      await connecting.getByRole('button', { name: 'Connect', exact: true }).click();
      await expectText(page, `Connected ${CHANNEL}`);
      await expectPage(page.getByRole('row').filter({ hasText: CHANNEL })).toContainText('Connected');
    },
  },
  {
    heading: 'Let your product use the number',
    async run({ page, capture: shoot }) {
      await openSettings(page, 'Channel');
      await button(page, 'Add Channel').click();
      const adding = dialog(page, 'Add Channel');
      await pick(page, 'Channel', `${CHANNEL} · WhatsApp`);
      await pick(page, 'Inbound Messages Enabled', 'Enabled');
      await shoot(page, 'first-hour-link-number');
      await adding.getByRole('button', { name: 'Create' }).click();
      await expectText(page, 'Product channel created successfully');
    },
  },
  {
    heading: 'Connect a model',
    async run({ page, capture: shoot }) {
      await open(page, 'LLM Credentials');
      await button(page, 'New LLM credential').click();
      await field(page, 'API key').fill(MODEL_KEY);
      await shoot(page, 'first-hour-connect-model');
      await button(page, 'Create').click();
      await expectText(page, /^Created ChatGPT/);
      await page.getByRole('button', { name: /^Actions for ChatGPT/ }).click();
      await page.getByRole('menuitem', { name: 'Test' }).click();
      await expectText(page, /works: .* answered in \d+ ms/);
    },
  },
  {
    heading: 'Write a prompt',
    async run({ page, capture: shoot }) {
      await open(page, 'Prompts');
      await button(page, 'New prompt').click();
      await page.getByRole('textbox', { name: 'Text of the prompt' }).fill(PROMPT);
      await field(page, 'Name').fill('Mara');
      await expectPage(page.getByRole('combobox', { name: 'Type', exact: true })).toHaveValue('Chatbot');
      await shoot(page, 'first-hour-prompt');
      await button(page, 'Save').click();
      await expectText(page, 'Saved Mara');
    },
  },
  {
    heading: 'Try it in the playground',
    async run({ page, capture: shoot }) {
      await open(page, 'Chatbot Playground');
      await expectPage(page.getByRole('textbox', { name: 'Text of the prompt' })).toContainText('You are Mara');
      await page.getByRole('textbox', { name: 'Message', exact: true }).fill(QUESTION);
      await page.getByRole('main').getByRole('button', { name: 'Send' }).click();
      const thread = page.getByRole('log', { name: 'Conversation' });
      await expectPage(thread.getByRole('article').last()).toContainText('90 euros');
      await expectPage(thread.getByRole('article').last()).toContainText('ms');
      await shoot(page, 'playground');
    },
  },
  {
    heading: 'Set the working hours',
    async run({ page, capture: shoot }) {
      await openSettings(page, 'Schedule');
      await button(page, 'Create Schedule').click();
      await field(page, 'Monday, from').fill('00:00');
      await field(page, 'Monday, to').fill('23:59');
      for (const day of ['Saturday', 'Sunday'])
        await page.getByRole('group', { name: day }).getByRole('switch').check({ force: true });
      await button(page, 'Copy first day to all').click();
      await expectPage(page.getByRole('region', { name: 'Summary' })).toContainText('Every day, 00:00–23:59');
      await shoot(page, 'working-hours');
      await button(page, 'Save Schedule').click();
      await expectText(page, 'Schedule saved successfully!');
    },
  },
  {
    heading: 'Set the first message',
    async run({ page, capture: shoot }) {
      await openSettings(page, 'Product');
      await page.getByRole('tab', { name: 'Outreach', exact: true }).click();
      await field(page, 'WhatsApp daily limit').fill('20');
      await field(page, 'Initial message text').fill(GREETING);
      await shoot(page, 'first-message');
      await button(page, 'Save Settings').click();
      await expectText(page, 'Settings saved successfully!');
    },
  },
  {
    heading: 'Set the follow-ups',
    async run({ page, capture: shoot }) {
      await open(page, 'Prepared Messages');
      await button(page, 'New prepared message').click();
      await field(page, 'Name').fill('Shall I keep it?');
      await pick(page, 'Type', 'Ping');
      await field(page, 'Message').fill(NUDGE);
      await button(page, 'Create').click();
      await expectText(page, /^(Created|Saved) Shall I keep it\?/);
      await openSettings(page, 'Ping');
      await button(page, 'Create Ping Configuration').click();
      await page.getByRole('radiogroup', { name: 'Source of step 1' }).getByText('Prepared message').click();
      await pick(page, 'Prepared message', 'Shall I keep it?');
      await shoot(page, 'follow-ups');
      await button(page, 'Save Configuration').click();
      await expectText(page, 'Ping configuration saved successfully!');
    },
  },
  {
    heading: 'Connect the CRM',
    async run({ page, context, capture: shoot }) {
      await open(page, 'CRM Integrations');
      const [consent] = await Promise.all([context.waitForEvent('page'), button(page, 'Connect amoCRM').click()]);
      await consent.getByRole('button', { name: 'Allow' }).click();
      await expectText(page, 'amoCRM is connected');
      await openSettings(page, 'Integration');
      await button(page, 'Add Pipeline').click();
      await pick(page, 'Pipeline in amoCRM', 'Wardrobes');
      await pick(page, 'Step for Initial', 'New lead');
      await pick(page, 'Step for Started', 'Negotiation');
      await pick(page, 'Step for Ongoing', 'Negotiation');
      await pick(page, 'Step for Success', 'Closed - won');
      await shoot(page, 'amocrm-mapping');
      await button(page, 'Save Settings').click();
      await expectText(page, 'Integration settings saved successfully!');
    },
  },
  {
    heading: 'Add a lead',
    async run({ page, capture: shoot }) {
      await open(page, 'Leads');
      await button(page, 'New lead').click();
      await field(page, 'Name').fill(LEAD);
      await button(page, 'Create').click();
      await expectText(page, `Created ${LEAD}`);
      await button(page, 'Add contact').click();
      await pick(page, 'Messenger', 'WhatsApp');
      await field(page, 'Address').fill(NUMBER);
      await button(page, 'Create').click();
      await expectPage(page.getByRole('region', { name: 'What comes next' })).toContainText('First message');
      await shoot(page, 'lead');
    },
  },
  {
    heading: 'Rehearse',
    async run({ page, capture: shoot }) {
      await open(page, 'Rehearsal');
      await expectText(page, LEAD);
      await expectText(page, /Shall I keep a boat for you/);
      await shoot(page, 'rehearsal');
    },
  },
  {
    heading: 'Go live',
    async run(session) {
      const phone = await phoneOf(session);
      await moveClock(phone, '+1 day');
      await expectPage(phone.getByRole('log', { name: 'What the lead sees' })).toContainText('For how many people');
      await phone.close();
    },
  },
  {
    heading: 'Answer on the phone',
    async run(session) {
      const { page, capture: shoot } = session;
      await open(page, 'Dialogues');
      await page.getByRole('row').filter({ hasText: LEAD }).click();
      const phone = await phoneOf(session);
      await phone.getByRole('textbox', { name: /^Write as/ }).fill(QUESTION);
      await phone.keyboard.press('Enter');
      await expectPage(phone.getByRole('log', { name: 'What the lead sees' })).toContainText('90 euros');
      await shoot(phone, 'first-hour-phone');
      await page.bringToFront();
      const answer = page.getByRole('article').filter({ hasText: '90 euros' }).last();
      await expectPage(answer.getByRole('img', { name: 'Read' })).toBeVisible();
      // The console learns of the moved clock within ten seconds.
      await expectText(page, /^Follow-up 1 in (1 h|60 min|59 min)/);
      await shoot(page, 'dialogue');
      await phone.close();
    },
  },
  {
    heading: 'Take over and hand back',
    async run(session) {
      const { page, capture: shoot } = session;
      await page
        .getByRole('textbox', { name: 'Message', exact: true })
        .fill('Mara’s colleague here: I can do 80 euros.');
      await page.keyboard.press('Enter');
      await expectText(page, 'demo is replying');
      const phone = await phoneOf(session);
      await phone.getByRole('textbox', { name: /^Write as/ }).fill(SECOND_QUESTION);
      await phone.keyboard.press('Enter');
      await expectPage(page.getByRole('article').filter({ hasText: SECOND_QUESTION }).last()).toBeVisible();
      await shoot(page, 'dialogue-human');
      await button(page, 'Hand back to bot').click();
      await expectPage(phone.getByRole('log', { name: 'What the lead sees' })).toContainText('Pier 4');
      await phone.close();
    },
  },
];
