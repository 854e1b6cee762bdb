/**
 * The demo's amoCRM: its account is connected at the first start, a pipeline serves its first product, some leads have
 * cards.
 */
import { sql } from 'kysely';
import { completeConnecting, startConnecting } from '../crm/connect.ts';
import type { IntegrationConfig } from '../crm/contract.ts';
import type { ContactType, Stage } from '../leads/contract.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import { COMPANY, PRODUCTS } from './demoContent.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import { ACCOUNT, LOST_STATUS_ID, statusOf, WON_STATUS_ID } from './emulators/amocrm/setup.ts';
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

/** The demo's company with its amoCRM account, whose columns are null if there is none. */
interface DemoCrm {
  readonly company_id: number;
  readonly product_id: number;
  readonly operator_id: number;
  readonly was_connected: boolean;
  readonly integration_id: number | null;
  readonly state: 'connected' | 'reconnect' | 'disconnected' | null;
  readonly client_id: string | null;
}

/**
 * Connect the demo's account through its own consent page. An account that an operator has disconnected or deleted
 * stays so; one that its emulator has lost is connected again.
 */
export async function connectDemoCrm(context: AppContext, control: ControlClient): Promise<void> {
  const before = await readDemoCrm(context);
  if (before === undefined || before.state === 'disconnected') return;
  const isNew = before.integration_id === null;
  if (isNew && before.was_connected) return;
  const board = await control.amocrm.board();
  if (board.clients.some((one) => one.client_id === before.client_id)) {
    // The emulators may have restarted on another port.
    const { host } = new URL(context.config.vendorUrls.amocrm);
    const values = [before.integration_id, host];
    await context.pool.query(
      'update amocrm_accounts set host = $2 where crm_integration_id = $1 and host <> $2',
      values,
    );
    return;
  }
  const cards = board.cards.length === 0 ? await createCards(context, control, before.product_id) : [];
  await grantConsent(context, before);
  const connected = await readDemoCrm(context);
  if (isNew && connected) await context.transact((tx) => linkProduct(tx, connected, cards));
}

async function readDemoCrm(context: AppContext): Promise<DemoCrm | undefined> {
  const { rows } = await context.pool.query<DemoCrm>(
    `select c.id as company_id, p.id as product_id, o.id as operator_id, i.id as integration_id, i.state, i.client_id,
            exists (select 1 from audit a where a.company_id = c.id and a.noun = 'crm_integration' and a.action = 'connected') as was_connected
       from companies c join products p on p.company_id = c.id and p.name = $2 join operators o on o.login = $3
       left join lateral (select i.id, a.state, a.client_id from crm_integrations i join amocrm_accounts a on a.crm_integration_id = i.id
                           where i.company_id = c.id and a.account_id = $4 order by i.id limit 1) i on true
      where c.name = $1 order by c.id, p.id limit 1`,
    [COMPANY.name, PRODUCTS[0]?.name, DEMO_LOGIN, ACCOUNT.id],
  );
  return rows[0];
}

/** Give consent: the emulated amoCRM hands over its keys and redirects the browser back. */
async function grantConsent(context: AppContext, { company_id: companyId, operator_id: id }: DemoCrm): Promise<void> {
  const token = ids.secret();
  const back = new URL(await submitConsent(await startConnecting(context, companyId, token))).searchParams;
  const operator = { token, id, login: DEMO_LOGIN, canAccess: () => true, requestId: ids.next() };
  const landing = await completeConnecting(context, Object.fromEntries(back), operator);
  if (!landing.ok) throw new Error(landing.sentence);
}

interface CreatedCard {
  readonly cardId: number;
  readonly leadId: number;
  readonly stage: Stage;
}

/** Create cards of existing leads, each in the step of its lead's stage. */
async function createCards(context: AppContext, control: ControlClient, productId: number): Promise<CreatedCard[]> {
  type Row = { id: number; name: string; stage: Stage; contact: string; type: ContactType };
  const { rows } = await context.pool.query<Row>(
    `select l.id, l.name, l.stage, c.contact, c.contact_type as type from leads l join contacts c on c.lead_id = l.id and c.is_main
      where l.product_id = $1 and l.name = any($2) order by array_position($2, l.name)`,
    [productId, WITH_CARDS],
  );
  const cards: CreatedCard[] = [];
  for (const [index, { id: leadId, name, stage, contact, type }] of rows.entries()) {
    const { id: cardId } = await control.amocrm.makeCard({
      name: `Kitchen for ${name}`,
      price: PRICES[index] ?? 4200,
      pipeline_id: PIPELINE,
      status_id: STEPS[stage],
      contact: { name, ...(type === 'telegram' ? { telegram: contact } : { phone: contact }) },
    });
    cards.push({ cardId, leadId, stage });
  }
  return cards;
}

/** Link the product to the account, and its leads to their cards as if they had been imported. */
async function linkProduct(tx: Tx, crm: DemoCrm, cards: readonly CreatedCard[]): Promise<void> {
  const { company_id: companyId, product_id: productId, integration_id: integrationId } = crm;
  await sql`insert into product_integrations (product_id, company_id, crm_integration_id, config)
            values (${productId}, ${companyId}, ${integrationId}, ${JSON.stringify(CONFIG)}::jsonb) on conflict do nothing`.execute(
    tx,
  );
  for (const { cardId, leadId, stage } of cards) {
    const status = STEPS[stage];
    await sql`insert into crm_cards (product_id, card_id, crm_integration_id, lead_id, pipeline_id, status_id, read_at)
              values (${productId}, ${cardId}, ${integrationId}, ${leadId}, ${PIPELINE}, ${status}, clock_timestamp())
              on conflict do nothing`.execute(tx);
    await sql`update leads set crm_id = ${String(cardId)}, status = ${statusOf(PIPELINE, status)?.name ?? null}
               where id = ${leadId} and crm_id is null`.execute(tx);
  }
}
