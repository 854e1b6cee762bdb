/** CRM integrations and the settings of a product's integration, in each of their states, and amoCRM's board. */
import type { Page } from '@playwright/test';
import { readCrmDirectory, readIntegrationState, readSkippedItems } from '../../crm/amocrmContract.ts';
import { crmIntegrations, productIntegrations } from '../../crm/contract.ts';
import { CONFIG, STEPS } from '../../testing/crm.ts';
import type { DemoIds } from './demoData.ts';
import { button, role, text } from './find.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { check, checkOutside, type PageCheck } from './pageCheck.ts';
import { PRODUCT } from './signIn.ts';
import { click, openRowMenu, press, shows } from './steps.ts';
import { answer, change, emptyList, type Undo } from './stubs.ts';

const noAccount = emptyList(crmIntegrations.list.path);
const noAccountFound = text('No CRM integrations found');

/** Let the product use the demo's account: two pipelines, one of them with steps that the account does not have. */
async function withProductSettings(page: Page, { url }: DemoIds): Promise<Undo> {
  const context = page.context();
  const { companyId, productId } = await findProduct(context, url, PRODUCT);
  const list = await callApi(context, url, 'GET', `${crmIntegrations.list.path}?company_id=${companyId}`);
  const [integration] = crmIntegrations.list.replies[200].parse(list).items;
  if (!integration) throw new Error('There is no integration');
  const path = `${productIntegrations.list.path}${productId}/${integration.id}`;
  const saveConfig = (config: unknown) =>
    callApi(context, url, 'PUT', path, { product_id: productId, crm_integration_id: integration.id, config });
  const unknownPipeline = { is_active: true, pipeline_id: 50_002, steps: { ...STEPS, initial: 0, ongoing: 99_999 } };
  await saveConfig({ ...CONFIG, import_enabled: false, pipelines: [...CONFIG.pipelines, unknownPipeline] });
  return () => saveConfig(CONFIG);
}

const FAILING = {
  last_error: 'amoCRM has too many requests',
  last_error_at: new Date().toISOString(),
  last_sync_at: new Date().toISOString(),
  last_sync: { read: 1240, imported: 12, unreachable: 2, known: 3, forgotten: 1, moved: 4, unmapped: 2, deleted: 1 },
  hooks: 'unavailable',
  hooks_reason: 'The tariff has no webhooks',
  cards: 1240,
  refused: 2,
  refusal: 'The step is closed for this user',
};

const skippedItem = (entity: string, id: string, reason: string, more: object = {}) => ({
  entity,
  entity_id: id,
  reason,
  times: 1,
  first_at: new Date().toISOString(),
  last_at: new Date().toISOString(),
  lead_id: null,
  product_id: null,
  url: id === '' ? null : `https://demo.amocrm.ru/leads/detail/${id}`,
  ...more,
});
const SKIPPED = {
  counts: { card: 2, contact: 1, address: 1 },
  items: [
    skippedItem('card', '1000017', 'status_id is missing', { times: 4 }),
    skippedItem('address', '1000021', '+790022255022 has a digit too many for a number in Russia', { lead_id: 1 }),
    skippedItem('contact', '2000003', 'It is not an object'),
    skippedItem('card', '', 'id is missing'),
  ],
};

/** Check the page of the account, which is opened from the list, in this state. */
const checkAccount = (state: string, changed: object, act: NonNullable<PageCheck['act']> = []): PageCheck => ({
  ...check('crm-integrations', '', {
    name: `crm-integration${state}`,
    prepare: withProductSettings,
    stubs: [change(readIntegrationState.path, changed)],
    act: [click(role('link', 'Demo account')), shows(role('region', 'Used by')), ...act],
  }),
  page: 'crm-integration',
});
const NO_ANSWER = { detail: 'amoCRM does not answer. Please try again.' };

export const crmPageChecks: readonly PageCheck[] = [
  check('crm-integrations', '', { stubs: [noAccount], ready: noAccountFound }),
  check('crm-integrations', 'connecting', {
    stubs: [noAccount],
    ready: noAccountFound,
    act: [
      (page) =>
        page.evaluate(() => {
          window.open = () => null;
        }),
      press('Connect amoCRM'),
      shows(role('link', 'Open amoCRM')),
    ],
  }),
  checkAccount('', {}),
  checkAccount('-reconnect', { state: 'reconnect', reason: 'The refresh token is revoked', to_write: 3 }),
  checkAccount('-failing', FAILING),
  {
    ...checkAccount('-skipped', {}, [shows(text('Addresses of card 1000021'))]),
    stubs: [answer(readSkippedItems.path, SKIPPED)],
  },
  checkAccount('-disconnect', {}, [openRowMenu('Disconnect'), shows(text(/\d leads? ha(s|ve)/))]),
  check('settings-integration', '', { stubs: [noAccount], ready: text('No CRM account is connected') }),
  check('settings-integration', 'new', {
    stubs: [emptyList(productIntegrations.list.path)],
    ready: button('Add Pipeline'),
    act: [
      press('Add Pipeline'),
      (page) => role('combobox', /^Custom field with the Telegram/)(page).fill(''),
      press('Save Settings'),
      shows((page) => page.getByRole('main').getByText('Custom field with the Telegram address is required').first()),
    ],
  }),
  check('settings-integration', 'saved', { prepare: withProductSettings, ready: role('region', 'Pipeline 2') }),
  check('settings-integration', 'unnamed', {
    prepare: withProductSettings,
    stubs: [answer(readCrmDirectory.path, NO_ANSWER, { status: 503 })],
    ready: role('alert'),
  }),
  checkOutside('sandbox-board', '/sandbox?board', { ready: role('list', 'Kitchens') }),
];
