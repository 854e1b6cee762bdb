/** SQL that counts calls without a run. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import type { Usage } from '../usage.ts';
import { addSpending, COST, SUMS, TODAY } from './budget.ts';
import { settled } from './reservations.ts';

/** In the place of a product's id. */
export const NO_PRODUCT = 0;

interface CompanyUsage {
  readonly companyId: number;
  readonly purpose: 'test';
  readonly vendor: string;
  readonly model: string;
  readonly usage: Pick<Usage, 'inputTokens' | 'outputTokens'>;
  /** The budget that the call has reserved. */
  readonly reservations: readonly number[];
}

/** Add the usage of a call that belongs to no product, and so has no run, and settle what it had reserved. */
export async function countUsage(
  reader: Reader,
  { companyId, purpose, vendor, model, usage, reservations }: CompanyUsage,
): Promise<void> {
  const { inputTokens, outputTokens } = usage;
  await sql`with ${settled(reservations)} ${addSpending(sql`
    select ${companyId}::bigint, ${TODAY}, ${NO_PRODUCT}::bigint, ${purpose}::text, r.model_vendor, r.model_name, ${sql.raw(SUMS)}
      from (select r.*, ${COST} as cost from (
              select ${inputTokens}::bigint as token_input_usage, ${outputTokens}::bigint as token_output_usage,
                     ${vendor}::text as model_vendor, ${model}::text as model_name) r) r
     group by 1, 2, 3, 4, 5, 6`)}`.execute(reader);
}
