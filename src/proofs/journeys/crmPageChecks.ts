/** CRM integrations and the settings of a product's integration, in each of their states, and amoCRM's board. */
import type { Page } from '@playwright/test';
import { integrationState, readIntegrationState } from '../../crm/amocrmContract.ts';
import { crmIntegrations, productIntegrations } from '../../crm/contract.ts';
import { leads } from '../../leads/contract.ts';
import { CONFIG, STEPS } from '../../testing/crm.ts';
import type { DemoIds } from './demoData.ts';
import { callApi, findProduct } from './journeyApi.ts';
import { button, dialog, failCalls, type PageCheck, simplePageCheck } from './pageCheck.ts';
import { expectPage, PRODUCT } from './signIn.ts';

/** Find the demo's own account, which is connected at its start. */
async function findIntegration(page: Page, demo: DemoIds) {
  const context = page.context();
  const { companyId, productId } = await findProduct(context, demo.url, PRODUCT);
  const list = await callApi(context, demo.url, 'GET', `${crmIntegrations.list.path}?company_id=${companyId}`);
  const [integration] = crmIntegrations.list.replies[200].parse(list).items;
  if (!integration) throw new Error('There is no integration');
  return { id: integration.id, productId };
}

/** Answer a list as if it were empty. */
const withEmptyList = (path: string) => async (page: Page) => {
  const pattern = new RegExp(`${path}(\\?|$)`);
  await page.route(pattern, (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { items: [], total: 0, page: 1, limit: 25 } })
      : route.fallback(),
  );
  return () => page.unroute(pattern);
};
const noAccount = withEmptyList(crmIntegrations.list.path);
const noSettings = withEmptyList(productIntegrations.list.path);

/** Show the account with this state on the page. */
function withIntegrationState(change: Partial<ReturnType<typeof integrationState.parse>>) {
  return async (page: Page, demo: DemoIds) => {
    const { id } = await findIntegration(page, demo);
    const address = readIntegrationState.path.replace('{id}', String(id));
    const state = integrationState.parse(await callApi(page.context(), demo.url, 'GET', address));
    const pattern = new RegExp(`${address}$`);
    await page.route(pattern, (route) => route.fulfill({ json: { ...state, ...change } }));
    return () => page.unroute(pattern);
  };
}

/** Let the product use the account: two pipelines, one of them with steps that the account does not have. */
async function withProductSettings(page: Page, demo: DemoIds) {
  const { id, productId } = await findIntegration(page, demo);
  const path = `${productIntegrations.list.path}${productId}/${id}`;
  const saveConfig = (config: unknown) =>
    callApi(page.context(), demo.url, 'PUT', path, { product_id: productId, crm_integration_id: id, config });
  const unknownPipeline = { is_active: true, pipeline_id: 50_002, steps: { ...STEPS, initial: 0, ongoing: 99_999 } };
  await saveConfig({ ...CONFIG, import_enabled: false, pipelines: [...CONFIG.pipelines, unknownPipeline] });
  return async () => {
    await saveConfig(CONFIG);
  };
}

async function withoutDirectory(page: Page, demo: DemoIds) {
  const undo = await withProductSettings(page, demo);
  const pattern = /\/v1\/crm-integrations\/\d+\/directory/;
  await page.route(pattern, (route) =>
    route.fulfill({ status: 503, json: { detail: 'amoCRM does not answer. Please try again.' } }),
  );
  return async () => {
    await page.unroute(pattern);
    await undo();
  };
}

/** Give the page checks' lead a card that does not have its stage yet. */
async function withPendingCard(page: Page, demo: DemoIds) {
  const lead = new RegExp(`${leads.list.path}${demo.leadId}$`);
  const card = new RegExp(`${leads.list.path}${demo.leadId}/crm-card$`);
  const path = `${leads.list.path}${demo.leadId}`;
  const stored = leads.get.replies[200].parse(await callApi(page.context(), demo.url, 'GET', path));
  const pendingLead = { ...stored, crm_id: '1007', status: 'First message sent', crm_pending: true };
  await page.route(lead, (route) => route.fulfill({ json: pendingLead }));
  await page.route(card, (route) =>
    route.fulfill({
      json: {
        card: {
          id: 1007,
          integration_id: 1,
          url: 'http://127.0.0.1/leads/detail/1007',
          pipeline: 'Kitchens',
          step: 'First message sent',
          read_at: stored.updated_at,
          wish: 'ongoing',
          error: 'amoCRM answers 502 Bad Gateway',
          note: null,
        },
      },
    }),
  );
  return async () => {
    await page.unroute(lead);
    await page.unroute(card);
  };
}

const openFirst = async (page: Page) => {
  await page.getByRole('link', { name: 'Demo account' }).click();
  await expectPage(page.getByRole('region', { name: 'Used by' })).toBeVisible();
};

const IN_STATES: readonly (Omit<PageCheck, 'page' | 'address'> & { name: string })[] = [
  { name: 'crm-integration', prepare: withProductSettings, act: openFirst },
  {
    name: 'crm-integration-reconnect',
    prepare: withIntegrationState({ state: 'reconnect', reason: 'The refresh token is revoked', to_write: 3 }),
    act: openFirst,
  },
  {
    name: 'crm-integration-ending',
    prepare: withIntegrationState({ keys_until: new Date(Date.now() + 5 * 86_400_000).toISOString() }),
    act: openFirst,
  },
  {
    name: 'crm-integration-failing',
    prepare: withIntegrationState({
      last_error: 'amoCRM has too many requests',
      last_error_at: new Date().toISOString(),
      last_sync_at: new Date().toISOString(),
      last_sync: {
        read: 1240,
        imported: 12,
        unreachable: 2,
        known: 3,
        forgotten: 1,
        moved: 4,
        unmapped: 2,
        deleted: 1,
      },
      hooks: 'unavailable',
      hooks_reason: 'The tariff has no webhooks',
      cards: 1240,
      refused: 2,
      refusal: 'The step is closed for this user',
    }),
    act: openFirst,
  },
  {
    name: 'crm-integration-disconnect',
    act: async (page) => {
      await openFirst(page);
      await button(page, 'Actions for Demo account').click();
      await page.getByRole('menuitem', { name: 'Disconnect' }).click();
      await expectPage(dialog(page, 'Disconnect Demo account?')).toContainText(/\d leads? ha(s|ve)/);
    },
  },
];

export const crmPageChecks: readonly PageCheck[] = [
  {
    ...simplePageCheck('crm-integrations'),
    prepare: noAccount,
    readyWhen: (page) => page.getByText('No CRM integrations found'),
  },
  {
    ...simplePageCheck('crm-integrations'),
    name: 'crm-integrations-connecting',
    prepare: noAccount,
    readyWhen: (page) => page.getByText('No CRM integrations found'),
    act: async (page) => {
      await page.evaluate(() => {
        window.open = () => null;
      });
      await button(page, 'Connect amoCRM').click();
      await expectPage(page.getByRole('link', { name: 'Open amoCRM' })).toBeVisible();
    },
  },
  {
    ...simplePageCheck('crm-integrations'),
    name: 'crm-integrations-disconnected',
    prepare: withIntegrationState({ state: 'disconnected', reason: 'Disconnected in amoCRM' }),
  },
  ...IN_STATES.map((one) => ({ ...simplePageCheck('crm-integrations'), ...one, page: 'crm-integration' })),
  {
    ...simplePageCheck('settings-integration'),
    prepare: noAccount,
    readyWhen: (page) => page.getByText('No CRM account is connected'),
  },
  {
    ...simplePageCheck('settings-integration'),
    name: 'settings-integration-new',
    prepare: noSettings,
    readyWhen: (page) => button(page, 'Add Pipeline'),
    act: async (page) => {
      await expectPage(button(page, 'Add Pipeline')).toBeEnabled();
      await button(page, 'Add Pipeline').click();
      await page.getByRole('combobox', { name: /^Custom field with the Telegram/ }).fill('');
      await button(page, 'Save Settings').click();
      const fault = page.getByRole('main').getByText('Custom field with the Telegram address is required');
      await expectPage(fault).toBeVisible();
    },
  },
  {
    ...simplePageCheck('settings-integration'),
    name: 'settings-integration-saved',
    prepare: withProductSettings,
    readyWhen: (page) => page.getByRole('region', { name: 'Pipeline 2' }),
  },
  {
    ...simplePageCheck('settings-integration'),
    name: 'settings-integration-unnamed',
    prepare: withoutDirectory,
    readyWhen: (page) => page.getByRole('alert'),
  },
  {
    ...simplePageCheck('settings-integration'),
    name: 'settings-integration-failed',
    prepare: (page) => failCalls(page, '/v1/product_integrations/'),
    readyWhen: (page) => page.getByRole('alert'),
  },
  {
    name: 'lead-detail-card',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
    prepare: withPendingCard,
    readyWhen: (page) => page.getByRole('link', { name: 'Card 1007 in amoCRM' }),
  },
  {
    name: 'sandbox-board',
    page: null,
    address: () => '/sandbox?board',
    readyWhen: (page) => page.getByRole('list', { name: 'Kitchens' }),
    act: async (page) => {
      const cards = page.getByRole('group', { name: /Vera Visit/ });
      // The board keeps cards of an earlier page check.
      if ((await cards.count()) > 0) return;
      await page.getByRole('textbox', { name: 'Name' }).fill('Vera Visit');
      await page.getByRole('textbox', { name: 'Phone' }).fill('+371 2777 1234');
      await page.getByRole('button', { name: 'Add card' }).click();
      await expectPage(cards).toBeVisible();
    },
  },
];
