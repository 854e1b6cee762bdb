/** Concurrent changes by two operators, and unsaved input: nothing is lost without asking. */
import type { BrowserContext, Locator, Page } from '@playwright/test';
import { beforeEach, expect, it } from 'vitest';
import { operators } from '../../access/accountContract.ts';
import { crmIntegrations, productIntegrations } from '../../crm/contract.ts';
import { type Lead, leads } from '../../leads/contract.ts';
import { experiments } from '../../outcomes/experimentContract.ts';
import { pingConfigs, schedules } from '../../outreach/contract.ts';
import { DEFAULT_DAYS } from '../../outreach/schedule.ts';
import { type Product, products } from '../../products/contract.ts';
import { preparedMessages, prompts } from '../../prompts/contract.ts';
import { expectText, holdCalls, pick, press } from './actions.ts';
import { call, create, createLead, demoProduct } from './calls.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { button, field, main, panel } from './locators.ts';
import { SCREENS } from './screens.ts';
import { COMPANY, chooseProduct, expectPage, PRODUCT, signInByApi } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

let context: BrowserContext;
let page: Page;
let productId = 0;
setUpJourney({ withoutOutreach: true });
beforeEach(async () => {
  ({ context, page } = await startOperator(SCREENS.wide));
  ({ productId } = await demoProduct(context));
});

const box = (name: string) => field(main(page), name);
const unsaved = () => main(page).getByText('Unsaved', { exact: true });

async function readProduct(): Promise<Product> {
  return products.get.replies[200].parse(await call(context, 'GET', `/v1/products/${productId}`));
}
async function changeProduct(change: Partial<Product['config']>): Promise<void> {
  const { id: _, created_at: __, version: ___, ...stored } = await readProduct();
  await call(context, 'PUT', `/v1/products/${productId}`, { ...stored, config: { ...stored.config, ...change } });
}

it('keeps a lead opted out and in its new stage when an older form of it is saved', async () => {
  const lead = await createLead(context, 'Two at once');
  const path = `${leads.list.path}${lead.leadId}`;
  const read = async (): Promise<Lead> => leads.get.replies[200].parse(await call(context, 'GET', path));
  await goTo(page, `lead-detail&leadId=${lead.leadId}`);
  await press(main(page), 'Edit');
  const dialog = page.getByRole('dialog', { name: 'Edit lead' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Two at once, renamed');
  const { product_id, name } = await read();
  const changed = { timezone: 'Asia/Tokyo', crm_fields: { budget: 900 } };
  await call(context, 'PUT', path, { product_id, name, stage: 'started', is_active: true, ...changed });
  await call(context, 'POST', `${path}/change_stage?new_stage=ongoing&update_in_crm=false`);
  await call(context, 'POST', `${path}/deactivate`);
  await press(dialog, 'Save');
  await expectText(page, 'Saved Two at once, renamed');
  expect(await read()).toMatchObject({ name: 'Two at once, renamed', is_active: false, stage: 'ongoing', ...changed });
});

it('reloads product settings on return, and keeps what is typed during a save', async () => {
  await goTo(page, 'dashboard');
  await expectPage(page.getByRole('region', { name: 'Messages per day' })).toBeVisible();
  await changeProduct({ lead_expires_in_hours: 48 });
  // The palette finds the settings too.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('product sett');
  await page.getByRole('dialog').getByRole('option', { name: 'Product Settings', exact: true }).click();
  await main(page).getByRole('tab', { name: 'General' }).click();
  const hours = box('Leads expire after, hours');
  await expectPage(hours).toHaveValue('48');

  await hours.fill('50');
  const write = await holdCalls(page, /\/v1\/products\/\d+$/, 'writes');
  await press(main(page), 'Save Settings');
  await write.arrived;
  await box('Name').fill(`${PRODUCT}, and doors`);
  write.release();
  await expectText(page, 'Settings saved successfully!');
  await expectPage(box('Name')).toHaveValue(`${PRODUCT}, and doors`);
  await expectPage(unsaved()).toBeVisible();
  expect(await readProduct()).toMatchObject({ name: PRODUCT, config: { lead_expires_in_hours: 50 } });
});

it('loses no text of the playground in a save, and keeps one undo history for each prompt', async () => {
  const own = { product_id: productId, type: 'prompt' };
  const elsewhere = { ...own, name: 'Prompt from elsewhere', text: 'You sell kitchens.\r\nBe brief.' };
  const id = await create(context, prompts.create.path, elsewhere);
  await create(context, prompts.create.path, { ...own, name: 'Another prompt', text: 'You sell doors.' });
  const editor = box('Text of the prompt');
  await goTo(page, `prompt-detail&promptId=${id}`);
  await expectPage(editor).toContainText('Be brief.');
  // Another operator saves; the one who returns starts from that version.
  await page.getByRole('link', { name: 'Prompts', exact: true }).click();
  const text = 'You sell kitchens.\r\nBe very brief.';
  await call(context, 'PATCH', `${prompts.list.path}${id}`, { text });
  await main(page).getByRole('link', { name: 'Prompt from elsewhere' }).click();
  await expectPage(editor).toContainText('Be very brief.');

  await goTo(page, `chatbot&promptId=${id}`);
  await expectPage(editor).toContainText('Be very brief.');
  await expectPage(unsaved()).toHaveCount(0);
  await editor.fill('You sell tables.');
  const write = await holdCalls(page, /\/v1\/prompts\/\d+$/, 'writes');
  await press(main(page), 'Save');
  await write.arrived;
  await editor.press('End');
  await editor.pressSequentially(' And chairs.');
  write.release();
  await expectText(page, 'Saved Prompt from elsewhere');
  await expectPage(editor).toHaveText('You sell tables. And chairs.');
  await expectPage(unsaved()).toBeVisible();
  // Saved with the keyboard from anywhere on the page.
  await box('Message').press('Control+s');
  await expectPage(unsaved()).toHaveCount(0);

  await pick(main(page), 'Prompt', 'Another prompt');
  await expectPage(editor).toHaveText('You sell doors.');
  await editor.press('Control+z');
  await expectPage(editor).toHaveText('You sell doors.');
  await expectPage(unsaved()).toHaveCount(0);
});

it('says when a page gives the assistant no context, and reconnects it after an error', async () => {
  await page.routeWebSocket(/master_chat/, (socket) => {
    const content = { message: 'The key is wrong.', message_type: 'full', tool_calls: [] };
    socket.onMessage(() => socket.send(JSON.stringify({ content, is_finished: true, is_error: true })));
  });
  await goTo(page, 'nowhere');
  await page.getByRole('button', { name: 'Master LLM' }).click();
  await expectPage(panel(page).getByText('No page context available')).toBeVisible();
  await goTo(page, 'crm-products');
  await expectPage(main(page).getByRole('row').nth(1)).toBeVisible();
  await expectPage(panel(page).getByText('No page context available')).toHaveCount(0);
  await panel(page).getByRole('textbox', { name: 'Message to the assistant' }).fill('Hello');
  await page.keyboard.press('Enter');
  const errorAlert = panel(page).getByRole('alert').filter({ hasText: 'Master LLM Error' });
  await expectPage(errorAlert).toContainText('The key is wrong.');
  await errorAlert.getByRole('button', { name: 'Retry Connection' }).click();
  await expectPage(errorAlert).toHaveCount(0);
  await expectPage(panel(page).getByText('Connected')).toBeVisible();
});

/** Create another admin, who signs in with this browser. */
async function createOperator(login: string, browser: BrowserContext): Promise<void> {
  const password = 'a long password';
  await call(context, 'POST', operators.create.path, { login, password, role: 'admin', company_ids: [] });
  await call(browser, 'POST', '/v1/auth/login', { login, password });
  await call(browser, 'POST', '/v1/auth/password', { current: password, password: 'a password of their own' });
}

/** A document of the product, edited in the browser and changed by another operator over HTTP. */
interface Shared {
  readonly address: string;
  readonly field: Locator;
  readonly save: string;
  readonly path: string;
  readonly body: (value: string) => object;
  /** The first is typed here while another operator stores the second; then the second and the third. */
  readonly values: readonly [string, string, string];
  /** Label of the field that compares both. */
  readonly label: string;
}

/** Create the texts of a product, and the follow-ups that use one. */
async function sharedTexts(productId: number): Promise<Record<string, Shared>> {
  const values = ['First text.', 'Second text.', 'Third text.'] as const;
  const own = { product_id: productId };
  const promptBody = (text: string) => ({ ...own, name: 'Shared prompt', type: 'prompt', text });
  const messageBody = (message: string) => ({ ...own, name: 'Shared message', type: 'ping', message });
  const promptId = await create(context, prompts.create.path, promptBody('Stored.'));
  const messageId = await create(context, preparedMessages.create.path, messageBody('Stored.'));
  const step = { step_number: 1, prepared_message_id: messageId, prompt_id: null, document_type: null };
  const pingBody = (minutes: string) => ({
    ...own,
    is_enabled: true,
    config: { use_on_no_init_msg_reply: true, steps: [{ ...step, after_minutes: Number(minutes) }] },
  });
  const prompt = {
    values,
    field: box('Text of the prompt'),
    save: 'Save',
    path: `${prompts.list.path}${promptId}`,
    body: promptBody,
  };
  return {
    prompt: { ...prompt, address: `prompt-detail&promptId=${promptId}`, label: 'Text' },
    playground: { ...prompt, address: `chatbot&promptId=${promptId}`, label: 'Text of the prompt' },
    prepared: {
      address: `prepared-message-detail&messageId=${messageId}`,
      field: box('Message'),
      save: 'Save',
      path: `${preparedMessages.list.path}${messageId}`,
      body: messageBody,
      values,
      label: 'Message',
    },
    pings: {
      address: 'settings-ping',
      field: box('After minutes'),
      save: 'Save Configuration',
      path: `${pingConfigs.list.path}${await create(context, pingConfigs.create.path, pingBody('60'))}`,
      body: pingBody,
      values: ['90', '91', '92'],
      label: 'Step 1 · After minutes',
    },
  };
}

/** Create a draft of an experiment. */
async function sharedExperiment(productId: number): Promise<Record<string, Shared>> {
  const arms = ['One', 'Two'].map((text) => ({ name: text, content: { source: 'text', text } }));
  const draft = { product_id: productId, name: 'Shared', kind: 'first_text', base_rate: 0.2, difference: 0.1, arms };
  const body = (days: string) => ({ ...draft, days: Number(days) });
  const id = await create(context, experiments.create.path, body('7'));
  return {
    experiment: {
      address: `experiment-detail&experimentId=${id}`,
      field: box('Within days'),
      save: 'Save',
      path: `${experiments.list.path}${id}`,
      body,
      values: ['11', '12', '13'],
      label: 'Days',
    },
  };
}

/** Create the settings of a product. */
async function sharedSettings(productId: number, companyId: number): Promise<Record<string, Shared>> {
  const own = { product_id: productId };
  const scheduleBody = (until: string) => ({
    ...own,
    timezone: 'UTC',
    config: { days: { ...DEFAULT_DAYS, 4: { is_working_day: true, time_start: '09:00', time_end: until } } },
  });
  const accounts = await call(context, 'GET', `${crmIntegrations.list.path}?company_id=${companyId}`);
  const integrationId = crmIntegrations.list.replies[200].parse(accounts).items[0]?.id ?? 0;
  const integrationBody = (name: string) => ({
    ...own,
    crm_integration_id: integrationId,
    config: { tg_contact_custom_field_name: name },
  });
  await call(context, 'POST', productIntegrations.create.path, integrationBody('telegram'));
  return {
    product: {
      address: 'settings-product&tab=general',
      field: box('Leads expire after, hours'),
      save: 'Save Settings',
      path: `${products.list.path}${productId}`,
      body: (hours) => ({
        name: 'Shared product',
        company_id: companyId,
        config: { lead_expires_in_hours: Number(hours) },
      }),
      values: ['50', '60', '72'],
      label: 'Leads expire after, hours',
    },
    schedule: {
      address: 'settings-schedule',
      field: box('Friday, to'),
      save: 'Save Schedule',
      path: `${schedules.list.path}${await create(context, schedules.create.path, scheduleBody('18:00'))}`,
      body: scheduleBody,
      values: ['15:30', '15:45', '16:00'],
      label: 'Friday',
    },
    integration: {
      address: 'settings-integration',
      field: main(page).getByRole('combobox', { name: /^Custom field with the Telegram address/ }),
      save: 'Save Settings',
      path: `${productIntegrations.list.path}${productId}/${integrationId}`,
      body: integrationBody,
      values: ['First field', 'Second field', 'Third field'],
      label: 'Custom field with the Telegram address',
    },
  };
}

async function sharedDocuments(): Promise<Record<string, Shared>> {
  const { companyId } = await demoProduct(context);
  const ownId = await create(context, products.create.path, { name: 'Shared product', company_id: companyId });
  await context.addCookies([{ url: product.url, name: 'rapport_product_id', value: String(ownId) }]);
  return {
    ...(await sharedSettings(ownId, companyId)),
    ...(await sharedTexts(ownId)),
    ...(await sharedExperiment(ownId)),
  };
}

it('asks before one of two operators overwrites the other’s change, on every page that edits a document', async () => {
  const documents = await sharedDocuments();
  const theirs = await chromium.context();
  await createOperator('second', theirs);
  const conflict = page.getByRole('dialog', { name: /^Changed by second at / });
  for (const [name, one] of Object.entries(documents)) {
    const [first, second, third] = one.values;
    const meet = async (mine: string, other: string) => {
      await one.field.fill(mine);
      await call(theirs, 'PUT', one.path, one.body(other));
      await press(main(page), one.save);
      const difference = conflict.getByRole('region', { name: one.label, exact: true });
      await expectPage(difference, name).toContainText(other);
      await expectPage(difference).toContainText(mine);
    };
    const stored = async () => JSON.stringify(await call(theirs, 'GET', one.path));
    await goTo(page, one.address);
    await expectPage(one.field).toBeVisible();
    await meet(first, second);
    expect(await stored(), name).toContain(second);
    await press(conflict, 'Keep editing mine');
    await press(main(page), one.save);
    await expectPage.poll(stored, name).toContain(first);
    await expectPage(button(main(page), one.save)).toBeDisabled();
    await meet(second, third);
    await press(conflict, 'Take theirs');
    await expectPage(button(main(page), one.save)).toBeDisabled();
    await expectPage.poll(() => typedIn(one.field), name).toBe(third);
    expect(await stored(), name).toContain(third);
  }
});

/** Return the content of a field or an editor. */
const typedIn = (one: Locator) =>
  one.evaluate((element) => ('value' in element ? String(element.value) : element.textContent));

/** Open pages of the operator, each in a tab of its own, and return the field to type into. */
async function openTabs(pages: Readonly<Record<string, readonly [address: string, name: string]>>) {
  const tabs = new Map<string, { tab: Page; field: Locator; address: string }>();
  for (const [key, [address, name]] of Object.entries(pages)) {
    const tab = await context.newPage();
    await goTo(tab, address);
    tabs.set(key, { tab, field: field(main(tab), name), address });
  }
  return tabs;
}

it('keeps unsaved text of every page when the session expires', async () => {
  const lead = await createLead(context, 'Left unsaved');
  const own = { product_id: productId, name: 'Half written' };
  const promptId = await create(context, prompts.create.path, { ...own, type: 'subprompt', text: 'Stored.' });
  const prepared = { ...own, type: 'ping', message: 'Stored.' };
  const messageId = await create(context, preparedMessages.create.path, prepared);
  await page.close();
  const tabs = await openTabs({
    prompt: [`prompt-detail&promptId=${promptId}`, 'Text of the prompt'],
    prepared: [`prepared-message-detail&messageId=${messageId}`, 'Message'],
    playground: [`chatbot&promptId=${promptId}`, 'Text of the prompt'],
    lead: ['lead-detail', 'Name'],
    product: ['settings-product&tab=general', 'Name'],
    composer: [`dialogue-chat&dialogueId=${lead.dialogueId}`, 'Message'],
  });
  for (const [key, one] of tabs) await one.field.fill(`Typed in ${key}`);
  const tabOf = (key: string) => tabs.get(key)?.tab ?? page;
  const playgroundMessage = tabOf('playground').getByRole('textbox', { name: 'Message', exact: true });
  await playgroundMessage.fill('Asked of the model');

  // A reload keeps it without asking.
  await tabOf('prompt').reload();
  await expectPage(tabOf('prompt').getByText('Your unsaved changes were restored')).toBeVisible();

  // Resolve the button first: a request of any tab may detect the ended session, and after the login there must be no
  // click.
  const save = await tabOf('prompt').getByRole('button', { name: 'Save', exact: true }).elementHandle();
  await context.clearCookies({ name: 'rapport_session' });
  await save?.evaluate((button) => button instanceof HTMLElement && button.click());
  for (const [, { tab }] of tabs) await expectPage(tab).toHaveURL(/\/auth\/login\?next=/);
  await press(tabOf('prompt'), 'Log in');
  for (const [key, { tab, field: typed, address }] of tabs) {
    await expectPage(tab).toHaveURL(`${product.url}/?page=${address}`);
    await expectPage.poll(() => typedIn(typed)).toBe(`Typed in ${key}`);
    const isDocument = key !== 'composer';
    await expectPage(tab.getByText('Your unsaved changes were restored')).toHaveCount(isDocument ? 1 : 0);
  }
  await expectPage(playgroundMessage).toHaveValue('Asked of the model');

  // Another operator sees what is stored.
  for (const [key, { tab }] of tabs) if (key !== 'prompt' && key !== 'composer') await tab.close();
  const [prompt, composer] = [tabOf('prompt'), tabOf('composer')];
  await createOperator('unsaved', context);
  await composer.reload();
  await expectPage(composer.getByRole('textbox', { name: 'Message', exact: true })).toHaveValue('');
  // The other tab, which still showed the first operator's text, learns of it from this one.
  await expectPage(prompt.getByRole('textbox', { name: 'Text of the prompt' })).toHaveText('Stored.');
  await expectPage(prompt.getByText('Your unsaved changes were restored')).toHaveCount(0);
  await composer.close();

  // A document that was changed meanwhile requires a decision.
  await signInByApi(context, product.url);
  await call(context, 'PATCH', `${prompts.list.path}${promptId}`, { text: 'Stored since.' });
  await prompt.reload();
  const conflict = prompt.getByRole('dialog', { name: 'Changed while you were editing' });
  await expectPage(conflict.getByRole('region', { name: 'Differences' })).toContainText('Stored since.');
  await press(conflict, 'Keep editing mine');
  await expectPage(prompt.getByRole('textbox', { name: 'Text of the prompt' })).toHaveText('Typed in prompt');

  // Choosing another product asks first.
  await press(prompt, 'Change');
  await chooseProduct(prompt, COMPANY, 'Wardrobes');
  await press(prompt, 'Keep editing');
  await expectPage(prompt.getByRole('textbox', { name: 'Text of the prompt' })).toHaveText('Typed in prompt');
  const chosen = (await context.cookies()).find(({ name }) => name === 'rapport_product_id');
  expect(chosen?.value).toBe(String(productId));

  // Logging out shows what is lost.
  const logOut = async () => {
    await prompt.getByRole('button', { name: 'Account of demo' }).click();
    await prompt.getByRole('menuitem', { name: 'Log out' }).click();
  };
  await logOut();
  const question = prompt.getByRole('dialog', { name: 'Log out' });
  await expectPage(question.getByRole('listitem')).toHaveText([/.+/, /.+/, /.+/, /.+/, /.+/, /.+/, /.+/]);
  await expectPage(question).toContainText('Message to Left unsaved');
  await question.getByRole('button', { name: 'Stay signed in' }).click();
  await logOut();
  await question.getByRole('button', { name: 'Discard and log out' }).click();
  await expectPage(prompt).toHaveURL(/\/auth\/login$/);
  const stored = await prompt.evaluate(() => Object.keys(localStorage));
  expect(stored.filter((key) => key.startsWith('rapport.draft.'))).toEqual([]);
});
