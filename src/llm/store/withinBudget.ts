/** SQL of a company's credentials, and whether it may still spend on models today. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import type { LlmVendor } from '../../products/contract.ts';
import { IS_BUDGET_NEARLY_SPENT, SPENT_BUDGET } from './budget.ts';

export { IS_BUDGET_NEARLY_SPENT };

/** An active credential, and the company's daily budget in US dollars if it is spent. */
export interface CredentialWithinBudget {
  readonly id: number;
  readonly api_key_sealed: string;
  readonly config: { readonly base_url?: string };
  readonly spent_budget: number | null;
}

/** A company's active credentials by vendor. */
export type CredentialsWithinBudget = Readonly<Partial<Record<LlmVendor, CredentialWithinBudget>>>;

/** The active credentials of a company as JSON by vendor; null if it has none. Read just before a model is called. */
export const credentialsWithinBudget = (
  companyId: RawBuilder<unknown>,
): RawBuilder<CredentialsWithinBudget | null> => sql`(
  select json_object_agg(l.vendor, json_build_object('id', l.id, 'api_key_sealed', l.api_key_sealed, 'config', l.config,
                                                     'spent_budget', ${SPENT_BUDGET}))
    from company_llms l join companies c on c.id = l.company_id where l.company_id = ${companyId} and l.is_active)`;

export async function findCredentialsWithinBudget(
  reader: Reader,
  companyId: number,
): Promise<CredentialsWithinBudget | null> {
  const { rows } = await sql<{ credentials: CredentialsWithinBudget | null }>`
    select ${credentialsWithinBudget(sql`${companyId}`)} as credentials`.execute(reader);
  return rows[0]?.credentials ?? null;
}
