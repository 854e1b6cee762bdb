/** SQL of a company's credentials, and whether its calls are within a budget. */
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import type { LlmVendor } from '../../products/contract.ts';
import { IS_BUDGET_NEARLY_SPENT } from './budget.ts';

export { IS_BUDGET_NEARLY_SPENT };

/** An active credential, and whether the company has a daily budget, which a call must reserve. */
export interface CredentialWithinBudget {
  readonly id: number;
  readonly api_key_sealed: string;
  readonly config: { readonly base_url?: string };
  /** By model and parameter, in the server's words. */
  readonly refused: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly has_budget: boolean;
}

/** A company's active credentials by vendor. */
export type CredentialsWithinBudget = Readonly<Partial<Record<LlmVendor, CredentialWithinBudget>>>;

/** The active credentials of a company as JSON by vendor; null if it has none. Read just before a model is called. */
export const credentialsWithinBudget = (
  companyId: RawBuilder<unknown>,
): RawBuilder<CredentialsWithinBudget | null> => sql`(
  select json_object_agg(l.vendor, json_build_object('id', l.id, 'refused', l.refused, 'api_key_sealed', l.api_key_sealed, 'config', l.config,
                                                     'has_budget', c.llm_daily_budget is not null))
    from company_llms l join companies c on c.id = l.company_id where l.company_id = ${companyId} and l.is_active)`;

export async function findCredentialsWithinBudget(
  reader: Reader,
  companyId: number,
): Promise<CredentialsWithinBudget | null> {
  const { rows } = await sql<{ credentials: CredentialsWithinBudget | null }>`
    select ${credentialsWithinBudget(sql`${companyId}`)} as credentials`.execute(reader);
  return rows[0]?.credentials ?? null;
}
