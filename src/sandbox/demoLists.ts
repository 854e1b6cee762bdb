/** Gives the demo's leads tags, owners and imports, and its operators views of the list. */
import { sql } from 'kysely';
import { SIMULATED_TAG } from '../outcomes/simulatedHistoryContract.ts';
import type { Tx } from '../platform/db.ts';
import { ids } from '../platform/ids.ts';
import { COMPANY } from './demoContent.ts';
import type { Instant } from './demoLeads/timeline.ts';
import { DEMO_LOGIN } from './demoOperator.ts';
import { insertRow, iso } from './demoTables.ts';

const DAY_MS = 24 * 3600 * 1000;

const IMPORTS = [
  { name: 'kitchen-fair.csv', daysAgo: 12, operator: COMPANY.colleagues[0] ?? DEMO_LOGIN },
  { name: 'website-forms.csv', daysAgo: 3, operator: DEMO_LOGIN },
];

/** Tags by the stage of a lead; every third lead is of the showroom. */
const TAGS = sql`
  case t.stage when 'ongoing' then '{Warm}' when 'success' then '{Customer}' when 'pending' then '{Call back}' else '{}' end::text[]
    || case when t.n % 3 = 0 then '{Showroom}' else '{}' end::text[] || case when t.n % 7 = 0 then '{VIP}' else '{}' end::text[]`;

export async function createDemoLists(
  tx: Tx,
  { companyId, productId, now }: { companyId: number; productId: number; now: Instant },
): Promise<void> {
  const imports: number[] = [];
  for (const { name, daysAgo, operator } of IMPORTS) {
    const row = { product_id: productId, import_key: ids.next(), name, operator };
    imports.push(await insertRow(tx, 'lead_imports', { ...row, leads: 0, created_at: iso(now - daysAgo * DAY_MS) }));
  }
  // Leads that were not written to yet came from files, the others wrote first or were added by hand.
  await sql`
    update leads l set tags = ${TAGS}, owner_id = t.owner_id, import_id = t.import_id
      from (select n.*, case when n.n % 2 = 0 then (array(select id from operators where login = any(${[...COMPANY.colleagues]}::text[]) order by id))[1 + n.n / 2 % ${COMPANY.colleagues.length}] end as owner_id,
                   case when n.stage = 'initial' then (${imports}::bigint[])[1 + n.n % ${IMPORTS.length}] end as import_id
              from (select id, stage, row_number() over (order by id) as n from leads where product_id = ${productId} and not ${SIMULATED_TAG} = any(tags)) as n) as t
     where l.id = t.id`.execute(tx);
  await sql`update lead_imports i set leads = (select count(*) from leads l where l.import_id = i.id) where i.id = any(${imports}::bigint[])`.execute(
    tx,
  );
  await createViews(tx, companyId, iso(now));
}

async function createViews(tx: Tx, companyId: number, at: string): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    select id from operators where login in (${DEMO_LOGIN}, ${COMPANY.colleagues[0]}) order by login`.execute(tx);
  const view = { operator_id: rows[0]?.id, company_id: companyId, page: 'crm-leads' };
  const warm = { stage: 'ongoing,pending', sort: '-updated_at' };
  await insertRow(tx, 'saved_views', { ...view, name: 'Warm leads', params: warm, is_shared: true, created_at: at });
  const first = { next_action: 'first' };
  const name = 'Waiting for a first message';
  await insertRow(tx, 'saved_views', { ...view, name, params: first, is_shared: false, created_at: at });
  const ofColleague = { operator_id: rows[1]?.id, company_id: companyId, page: 'crm-dialogues', name: 'With people' };
  await insertRow(tx, 'saved_views', { ...ofColleague, params: { owner: 'human' }, is_shared: true, created_at: at });
}
