/**
 * The demo's amoCRM: its account is connected at the first start, a pipeline serves its first product, some leads have
 * cards.
 */
import { sql } from 'kysely';
import { completeConnecting, startConnecting } from '../crm/connect.ts';
import type { IntegrationConfig } from '../crm/contract.ts';
import type { Stage } from '../leads/contract.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import { COMPANY, PRODUCTS } from './demoContent.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import { ACCOUNT, LOST_STATUS_ID, PIPELINES, WON_STATUS_ID } from './emulators/amocrm/setup.ts';
import type { ControlClient } from './emulators/control.ts';
import { submitConsent } from './emulators/submitConsent.ts';

const PIPELINE = 50_001;
const STEPS: Readonly<Record<Stage, number>> = {
  initial: 60_001,
  started: 60_002,
  ongoing: 60_003,
  pending: 60_004,
  refused: LOST_STATUS_ID,
  ignore: 0,
  success: WON_STATUS_ID,
  failed: LOST_STATUS_ID,
};
const CONFIG: IntegrationConfig = {
  import_enabled: true,
  tg_contact_custom_field_name: 'Telegram',
  whatsapp_contact_custom_field_name: 'WhatsApp',
  pipelines: [{ is_active: true, pipeline_id: PIPELINE, steps: STEPS }],
};

/** Leads of the first product that have a card, in stages that the board shows side by side. */
const WITH_CARDS = ['Luna Palmtree', 'Otto Lampenschirm', 'Пётр Вымыслов', 'Greta Apfelkuchen'];
const PRICES = [4200, 5100, 7400, 6300];

interface ExistingIntegration {
  readonly id: number;
  readonly state: 'connected' | 'reconnect' | 'disconnected';
  readonly client_id: string;
  readonly host: string;
}

/**
 * Connect the demo's account through its own consent page. An account that an operator has disconnected or deleted
 * stays so; one that its emulator has lost is connected again.
 */
export async function connectDemoCrm(context: AppContext, control: ControlClient): Promise<void> {
  const company = await findCompany(context);
  if (company === undefined) return;
  const existing = await findAccount(context, company.id);
  if (existing ? existing.state === 'disconnected' : company.was_connected) return;
  const board = await control.amocrm.board();
  const { host } = new URL(context.config.vendorUrls.amocrm);
  if (existing && board.clients.some((one) => one.client_id === existing.client_id)) {
    // The emulators have restarted on another port.
    if (existing.host !== host)
      await context.pool.query('update amocrm_accounts set host = $2 where crm_integration_id = $1', [
        existing.id,
        host,
      ]);
    return;
  }
  const cards = board.cards.length === 0 ? await createCards(context, control, company.product_id) : [];
  await grantConsent(context, company);
  await context.transact(async (tx) => {
    const account = await findAccount(context, company.id);
    if (account && !existing) await linkProduct(tx, company, account.id, cards);
  });
}

async function findCompany(
  context: AppContext,
): Promise<{ id: number; product_id: number; operator_id: number; was_connected: boolean } | undefined> {
  const { rows } = await context.pool.query(
    `select c.id, p.id as product_id, o.id as operator_id,
            exists (select 1 from audit a where a.company_id = c.id and a.noun = 'crm_integration' and a.action = 'connected') as was_connected
       from companies c join products p on p.company_id = c.id and p.name = $2 join operators o on o.login = $3
      where c.name = $1 order by c.id, p.id limit 1`,
    [COMPANY.name, PRODUCTS[0]?.name, DEMO_LOGIN],
  );
  return rows[0];
}

async function findAccount(context: AppContext, companyId: number): Promise<ExistingIntegration | undefined> {
  const { rows } = await context.pool.query<ExistingIntegration>(
    `select i.id, a.state, a.client_id, a.host from crm_integrations i join amocrm_accounts a on a.crm_integration_id = i.id
      where i.company_id = $1 and a.account_id = $2 order by i.id limit 1`,
    [companyId, ACCOUNT.id],
  );
  return rows[0];
}

/** Give consent: the emulated amoCRM hands over its keys and redirects the browser back. */
async function grantConsent(context: AppContext, company: { id: number; operator_id: number }): Promise<void> {
  const token = ids.secret();
  const back = new URL(await submitConsent(await startConnecting(context, company.id, token))).searchParams;
  const landing = await completeConnecting(
    context,
    {
      code: back.get('code') ?? undefined,
      referer: back.get('referer') ?? undefined,
      state: back.get('state') ?? undefined,
    },
    { token, id: company.operator_id, login: DEMO_LOGIN, canAccess: () => true, requestId: ids.next() },
  );
  if (!landing.ok) throw new Error(landing.sentence);
}

interface CreatedCard {
  readonly cardId: number;
  readonly leadId: number;
  readonly stage: Stage;
}

/** Create cards of existing leads, each in the step of its lead's stage. */
async function createCards(context: AppContext, control: ControlClient, productId: number): Promise<CreatedCard[]> {
  const { rows } = await context.pool.query<{
    id: number;
    name: string;
    stage: Stage;
    contact: string;
    contact_type: 'whatsapp' | 'telegram';
  }>(
    `select l.id, l.name, l.stage, c.contact, c.contact_type from leads l
       join lateral (select * from contacts where lead_id = l.id order by is_main desc, id limit 1) c on true
      where l.product_id = $1 and l.name = any($2) order by array_position($2, l.name), l.id`,
    [productId, WITH_CARDS],
  );
  const createdCards: CreatedCard[] = [];
  for (const [index, lead] of rows.entries()) {
    const address = lead.contact_type === 'telegram' ? { telegram: lead.contact } : { phone: lead.contact };
    const { id } = await control.amocrm.makeCard({
      name: `Kitchen for ${lead.name}`,
      price: PRICES[index] ?? 4200,
      pipeline_id: PIPELINE,
      status_id: STEPS[lead.stage] || STEPS.initial,
      contact: { name: lead.name, ...address },
    });
    createdCards.push({ cardId: id, leadId: lead.id, stage: lead.stage });
  }
  return createdCards;
}

/** Link the product to the account, and its leads to their cards as if they had been imported. */
async function linkProduct(
  tx: Tx,
  { id: companyId, product_id: productId }: { id: number; product_id: number },
  integrationId: number,
  cards: readonly CreatedCard[],
): Promise<void> {
  await sql`insert into product_integrations (product_id, company_id, crm_integration_id, config)
            values (${productId}, ${companyId}, ${integrationId}, ${JSON.stringify(CONFIG)}::jsonb) on conflict do nothing`.execute(
    tx,
  );
  const steps = PIPELINES.find((one) => one.id === PIPELINE)?.statuses ?? [];
  for (const { cardId, leadId, stage } of cards) {
    const step = steps.find((one) => one.id === STEPS[stage]);
    await sql`insert into crm_cards (product_id, card_id, crm_integration_id, lead_id, pipeline_id, status_id, read_at)
              values (${productId}, ${cardId}, ${integrationId}, ${leadId}, ${PIPELINE}, ${step?.id ?? null}, clock_timestamp())
              on conflict do nothing`.execute(tx);
    await sql`update leads set crm_id = ${String(cardId)}, status = ${step?.name ?? null}
               where id = ${leadId} and crm_id is null`.execute(tx);
  }
}
