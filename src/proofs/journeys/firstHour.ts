/**
 * The guide's first hour, step by step, with the wording of `docs/guide/first-hour.md`: each step here carries the
 * heading of its section there. The journey runs it; the script that takes the guide's pictures (`npm run pictures`)
 * runs it too.
 */
import { expectTexts, fillIn, press, submit } from './actions.ts';
import { expectText, type FirstHourSession, moveClock, open, openSettings, phoneOf, pick } from './firstHourActions.ts';
import { TYPED } from './firstHourFixtures.ts';
import { button, dialogOf, field, row } from './locators.ts';
import { seenOn, writeOn } from './phone.ts';
import { expectPage } from './signIn.ts';

/** The steps by their headings, in the order of the guide. */
export const FIRST_HOUR: Readonly<Record<string, (session: FirstHourSession) => Promise<void>>> = {
  async 'Start and sign in'({ page, url, shoot }) {
    await page.goto(url);
    await expectPage(button(page, 'Log in')).toBeVisible();
    await shoot(page, 'first-hour-sign-in');
    await press(page, 'Log in');
    await dialogOf(page, 'Select company & product').getByRole('button', { name: 'Cancel' }).click();
    await expectText(page, 'No Product Selected');
  },
  async 'Make your company and your product'({ page, shoot }) {
    await open(page, 'Companies');
    await press(page, 'New company');
    await submit(page, { Name: TYPED.company }, 'Create', `Created ${TYPED.company}`);
    await open(page, 'Products');
    await press(page, 'New product');
    await field(page, 'Name').fill(TYPED.product);
    await pick(page, 'Company', TYPED.company);
    await press(page, 'Create', `Created ${TYPED.product}`);
    await press(page, 'Change');
    const choice = dialogOf(page, 'Select company & product');
    await pick(page, 'Company', TYPED.company);
    await pick(page, 'Product', TYPED.product);
    await shoot(page, 'first-hour-choice');
    await press(choice, 'OK');
    await expectPage(page.getByRole('navigation').getByText(TYPED.product).first()).toBeVisible();
  },
  async 'Connect a number'({ page, context, url, shoot }) {
    const sandbox = await context.newPage();
    await sandbox.goto(`${url}/sandbox`);
    const keys = sandbox.getByRole('region', { name: 'Keys' });
    const key = await keys.getByText(/^sandbox-wazzup24-key/).innerText();
    await shoot(sandbox, 'first-hour-keys');
    await sandbox.close();
    await open(page, 'Channels');
    await press(page, 'Connect a channel');
    const connecting = dialogOf(page, 'Connect a channel');
    await submit(connecting, { 'API key': key }, 'Find channels');
    await connecting.getByRole('radio', { name: /WhatsApp, free number/ }).check();
    await field(connecting, 'Name').fill(TYPED.channel);
    await shoot(page, 'first-hour-connect-number');
    await press(connecting, 'Connect', `Connected ${TYPED.channel}`);
    await expectPage(row(page, TYPED.channel)).toContainText('Connected');
  },
  async 'Let your product use the number'({ page, shoot }) {
    await openSettings(page, 'Channel');
    await press(page, 'Add Channel');
    const adding = dialogOf(page, 'Add Channel');
    await pick(page, 'Channel', `${TYPED.channel} · WhatsApp`);
    await pick(page, 'Inbound Messages Enabled', 'Enabled');
    await shoot(page, 'first-hour-link-number');
    await press(adding, 'Create', 'Product channel created successfully');
  },
  async 'Connect a model'({ page, shoot }) {
    await open(page, 'LLM Credentials');
    await press(page, 'New LLM credential');
    await field(page, 'API key').fill(TYPED.modelKey);
    await shoot(page, 'first-hour-connect-model');
    await press(page, 'Create', /^Created ChatGPT/);
    await expectText(page, /works\. .* answers\./);
  },
  async 'Write a prompt'({ page, shoot }) {
    await open(page, 'Prompts');
    await press(page, 'New prompt');
    await fillIn(page, { 'Text of the prompt': TYPED.prompt, Name: 'Mara' });
    await expectPage(page.getByRole('combobox', { name: 'Type', exact: true })).toHaveValue('Chatbot');
    await shoot(page, 'first-hour-prompt');
    await press(page, 'Save', 'Saved Mara');
  },
  async 'Try it in the playground'({ page, shoot }) {
    await open(page, 'Chatbot Playground');
    await expectPage(page.getByRole('textbox', { name: 'Text of the prompt' })).toContainText('You are Mara');
    await field(page, 'Message').fill(TYPED.question);
    await page.getByRole('main').getByRole('button', { name: 'Send' }).click();
    const thread = page.getByRole('log', { name: 'Conversation' });
    await expectTexts(thread.getByRole('article').last(), '90 euros', 'ms');
    await shoot(page, 'playground');
  },
  async 'Set the working hours'({ page, shoot }) {
    await openSettings(page, 'Schedule');
    await press(page, 'Create Schedule');
    await field(page, 'Monday, from').fill('00:00');
    await field(page, 'Monday, to').fill('23:59');
    for (const day of ['Saturday', 'Sunday'])
      await page.getByRole('group', { name: day }).getByRole('switch').check({ force: true });
    await press(page, 'Copy first day to all');
    await expectPage(page.getByRole('region', { name: 'Summary' })).toContainText('Every day, 00:00–23:59');
    await shoot(page, 'working-hours');
    await press(page, 'Save Schedule', 'Schedule saved successfully!');
  },
  async 'Set the first message'({ page, shoot }) {
    await openSettings(page, 'Product');
    await page.getByRole('tab', { name: 'Outreach', exact: true }).click();
    await field(page, 'WhatsApp daily limit').fill('20');
    await field(page, 'Initial message text').fill(TYPED.greeting);
    await shoot(page, 'first-message');
    await press(page, 'Save Settings', 'Settings saved successfully!');
  },
  async 'Set the follow-ups'({ page, shoot }) {
    await open(page, 'Prepared Messages');
    await press(page, 'New prepared message');
    await field(page, 'Name').fill('Shall I keep it?');
    await pick(page, 'Type', 'Ping');
    await submit(page, { Message: TYPED.nudge }, 'Create', /^(Created|Saved) Shall I keep it\?/);
    await openSettings(page, 'Ping');
    await press(page, 'Create Ping Configuration');
    await page.getByRole('radiogroup', { name: 'Source of step 1' }).getByText('Prepared message').click();
    await pick(page, 'Prepared message', 'Shall I keep it?');
    await shoot(page, 'follow-ups');
    await press(page, 'Save Configuration', 'Ping configuration saved successfully!');
  },
  async 'Connect the CRM'({ page, context, shoot }) {
    await open(page, 'CRM Integrations');
    const [consent] = await Promise.all([context.waitForEvent('page'), button(page, 'Connect amoCRM').click()]);
    await press(consent, 'Allow');
    await expectText(page, 'amoCRM is connected');
    await openSettings(page, 'Integration');
    await press(page, 'Add Pipeline');
    await pick(page, 'Pipeline in amoCRM', 'Wardrobes');
    await pick(page, 'Step for Initial', 'New lead');
    await pick(page, 'Step for Started', 'Negotiation');
    await pick(page, 'Step for Ongoing', 'Negotiation');
    await pick(page, 'Step for Success', 'Closed - won');
    await shoot(page, 'amocrm-mapping');
    await press(page, 'Save Settings', 'Integration settings saved successfully!');
  },
  async 'Add a lead'({ page, shoot }) {
    await open(page, 'Leads');
    await press(page, 'New lead');
    await submit(page, { Name: TYPED.lead }, 'Create', `Created ${TYPED.lead}`);
    await press(page, 'Add contact');
    await pick(page, 'Messenger', 'WhatsApp');
    await field(page, 'Address').fill(TYPED.number);
    await press(page, 'Create');
    await expectPage(page.getByRole('region', { name: 'What comes next' })).toContainText('First message');
    await shoot(page, 'lead');
  },
  async Rehearse({ page, shoot }) {
    await open(page, 'Rehearsal');
    await expectText(page, TYPED.lead);
    await expectText(page, /Shall I keep a boat for you/);
    await shoot(page, 'rehearsal');
  },
  async 'Go live'(session) {
    const phone = await phoneOf(session);
    await moveClock(phone, '+1 day');
    await expectPage(seenOn(phone)).toContainText('For how many people');
    await phone.close();
  },
  async 'Answer on the phone'(session) {
    const { page, shoot } = session;
    await open(page, 'Dialogues');
    await row(page, TYPED.lead).click();
    const phone = await phoneOf(session);
    await writeOn(phone, TYPED.question);
    await expectPage(seenOn(phone)).toContainText('90 euros');
    await shoot(phone, 'first-hour-phone');
    await page.bringToFront();
    const answer = page.getByRole('article').filter({ hasText: '90 euros' }).last();
    await expectPage(answer.getByRole('img', { name: 'Read' })).toBeVisible();
    // The console learns of the moved clock within ten seconds.
    await expectText(page, /^Follow-up 1 in (1 h|60 min|59 min)/);
    await shoot(page, 'dialogue');
    await phone.close();
  },
  async 'Take over and hand back'(session) {
    const { page, shoot } = session;
    await field(page, 'Message').fill('Mara’s colleague here: I can do 80 euros.');
    await page.keyboard.press('Enter');
    await expectText(page, 'demo is replying');
    const phone = await phoneOf(session);
    await writeOn(phone, TYPED.secondQuestion);
    await expectPage(page.getByRole('article').filter({ hasText: TYPED.secondQuestion }).last()).toBeVisible();
    await shoot(page, 'dialogue-human');
    await press(page, 'Hand back to bot');
    await press(page, 'Hand back');
    await expectPage(seenOn(phone)).toContainText('Pier 4');
    await phone.close();
  },
};
