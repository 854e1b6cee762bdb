/** CRM integrations and the settings of a product's integration, in each of their states, and amoCRM's board. */
import type { Page } from '@playwright/test';
import { integrationState, readIntegrationState } from '../crm/amocrmContract.ts';
import { crmIntegrations, productIntegrations } from '../crm/contract.ts';
import { leads } from '../leads/contract.ts';
import { CONFIG, STEPS } from '../testing/crm.ts';
import { ask, choice } from './ask.ts';
import type { Demo } from './demo.ts';
import { PRODUCT, see } from './signIn.ts';
import { button, dialog, fail, plain, type Visit } from './visit.ts';

/** The demo's own account, connected at its start. */
async function find(page: Page, demo: Demo) {
  const context = page.context();
  const { companyId, productId } = await choice(context, demo.url, PRODUCT);
  const list = await ask(context, demo.url, 'GET', `${crmIntegrations.list.path}?company_id=${companyId}`);
  const [made] = crmIntegrations.list.replies[200].parse(list).items;
  if (!made) throw new Error('There is no integration');
  return { id: made.id, productId };
}

/** A list of these as it is without anything in it. */
const without = (path: string) => async (page: Page) => {
  const pattern = new RegExp(`${path}(\\?|$)`);
  await page.route(pattern, (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({ json: { items: [], total: 0, page: 1, limit: 25 } })
      : route.fallback(),
  );
  return () => page.unroute(pattern);
};
const noAccount = without(crmIntegrations.list.path);
const noSettings = without(productIntegrations.list.path);

/** The account with a state of its own on the page. */
function standing(change: Partial<ReturnType<typeof integrationState.parse>>) {
  return async (page: Page, demo: Demo) => {
    const { id } = await find(page, demo);
    const address = readIntegrationState.path.replace('{id}', String(id));
    const state = integrationState.parse(await ask(page.context(), demo.url, 'GET', address));
    const pattern = new RegExp(`${address}$`);
    await page.route(pattern, (route) => route.fulfill({ json: { ...state, ...change } }));
    return () => page.unroute(pattern);
  };
}

/** The product uses the account: two pipelines, one of them with steps that the account does not have. */
async function used(page: Page, demo: Demo) {
  const { id, productId } = await find(page, demo);
  const path = `${productIntegrations.list.path}${productId}/${id}`;
  const put = (config: unknown) =>
    ask(page.context(), demo.url, 'PUT', path, { product_id: productId, crm_integration_id: id, config });
  const odd = { is_active: true, pipeline_id: 50_002, steps: { ...STEPS, initial: 0, ongoing: 99_999 } };
  await put({ ...CONFIG, import_enabled: false, pipelines: [...CONFIG.pipelines, odd] });
  return async () => {
    await put(CONFIG);
  };
}

async function unnamed(page: Page, demo: Demo) {
  const undo = await used(page, demo);
  const pattern = /\/v1\/crm-integrations\/\d+\/directory/;
  await page.route(pattern, (route) =>
    route.fulfill({ status: 503, json: { detail: 'amoCRM does not answer. Please try again.' } }),
  );
  return async () => {
    await page.unroute(pattern);
    await undo();
  };
}

/** The lead of the visits with a card that does not know its stage yet. */
async function pendingCard(page: Page, demo: Demo) {
  const lead = new RegExp(`${leads.list.path}${demo.leadId}$`);
  const card = new RegExp(`${leads.list.path}${demo.leadId}/crm-card$`);
  const path = `${leads.list.path}${demo.leadId}`;
  const stored = leads.get.replies[200].parse(await ask(page.context(), demo.url, 'GET', path));
  const shown = { ...stored, crm_id: '1007', status: 'First message sent', crm_pending: true };
  await page.route(lead, (route) => route.fulfill({ json: shown }));
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
  await see(page.getByRole('region', { name: 'Used by' })).toBeVisible();
};

const IN_STATES: readonly (Omit<Visit, 'page' | 'address'> & { name: string })[] = [
  { name: 'crm-integration', before: used, act: openFirst },
  {
    name: 'crm-integration-reconnect',
    before: standing({ state: 'reconnect', reason: 'The refresh token is revoked', to_write: 3 }),
    act: openFirst,
  },
  {
    name: 'crm-integration-ending',
    before: standing({ keys_until: new Date(Date.now() + 5 * 86_400_000).toISOString() }),
    act: openFirst,
  },
  {
    name: 'crm-integration-failing',
    before: standing({
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
      await see(dialog(page, 'Disconnect Demo account?')).toContainText(/\d leads? ha(s|ve)/);
    },
  },
];

export const crmVisits: readonly Visit[] = [
  {
    ...plain('crm-integrations'),
    before: noAccount,
    shows: (page) => page.getByText('No CRM integrations found'),
  },
  {
    ...plain('crm-integrations'),
    name: 'crm-integrations-connecting',
    before: noAccount,
    shows: (page) => page.getByText('No CRM integrations found'),
    act: async (page) => {
      await page.evaluate(() => {
        window.open = () => null;
      });
      await button(page, 'Connect amoCRM').click();
      await see(page.getByRole('link', { name: 'Open amoCRM' })).toBeVisible();
    },
  },
  {
    ...plain('crm-integrations'),
    name: 'crm-integrations-disconnected',
    before: standing({ state: 'disconnected', reason: 'Disconnected in amoCRM' }),
  },
  ...IN_STATES.map((one) => ({ ...plain('crm-integrations'), ...one, page: 'crm-integration' })),
  {
    ...plain('settings-integration'),
    before: noAccount,
    shows: (page) => page.getByText('No CRM account is connected'),
  },
  {
    ...plain('settings-integration'),
    name: 'settings-integration-new',
    before: noSettings,
    shows: (page) => button(page, 'Add Pipeline'),
    act: async (page) => {
      await see(button(page, 'Add Pipeline')).toBeEnabled();
      await button(page, 'Add Pipeline').click();
      await page.getByRole('combobox', { name: /^Custom field with the Telegram/ }).fill('');
      await button(page, 'Save Settings').click();
      const fault = page.getByRole('main').getByText('Custom field with the Telegram address is required');
      await see(fault).toBeVisible();
    },
  },
  {
    ...plain('settings-integration'),
    name: 'settings-integration-saved',
    before: used,
    shows: (page) => page.getByRole('region', { name: 'Pipeline 2' }),
  },
  {
    ...plain('settings-integration'),
    name: 'settings-integration-unnamed',
    before: unnamed,
    shows: (page) => page.getByRole('alert'),
  },
  {
    ...plain('settings-integration'),
    name: 'settings-integration-failed',
    before: (page) => fail(page, '/v1/product_integrations/'),
    shows: (page) => page.getByRole('alert'),
  },
  {
    name: 'lead-detail-card',
    page: 'lead-detail',
    address: ({ leadId }) => `/?page=lead-detail&leadId=${leadId}`,
    before: pendingCard,
    shows: (page) => page.getByRole('link', { name: 'Card 1007 in amoCRM' }),
  },
  {
    name: 'sandbox-board',
    page: null,
    address: () => '/sandbox?board',
    shows: (page) => page.getByRole('list', { name: 'Kitchens' }),
    act: async (page) => {
      const cards = page.getByRole('group', { name: /Vera Visit/ });
      // The board keeps what an earlier visit made.
      if ((await cards.count()) > 0) return;
      await page.getByRole('textbox', { name: 'Name' }).fill('Vera Visit');
      await page.getByRole('textbox', { name: 'Phone' }).fill('+371 2777 1234');
      await page.getByRole('button', { name: 'Add card' }).click();
      await see(cards).toBeVisible();
    },
  },
];
