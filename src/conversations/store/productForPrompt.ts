import { sql } from 'kysely';
import { isAnswerTested } from '../../experiments/store/assignments.ts';
import { type CredentialsWithinBudget, credentialsWithinBudget } from '../../llm/store/withinBudget.ts';
import type { Reader } from '../../platform/db.ts';
import type { ProductFacts } from '../../products/product.ts';
import { hasDescribed } from '../../prompts/store/ofProduct.ts';

/** A product, and what each question to its models needs. */
export interface ProductForPrompt extends ProductFacts {
  /** Whether the model may look up described prompts. */
  readonly has_described: boolean;
  /** Whether an experiment may have another prompt or model for a lead. */
  readonly is_tested: boolean;
  /** The company's active credentials by vendor; null if it has none. */
  readonly credentials: CredentialsWithinBudget | null;
  /** The domain clock, ISO. */
  readonly now: string;
}

export async function readProductForPrompt(reader: Reader, id: number): Promise<ProductForPrompt | undefined> {
  const { rows } = await sql<ProductForPrompt>`
    select p.id, p.company_id, o.name as company_name, p.name, p.is_active, p.timezone, p.config, domain_now() as now,
           ${hasDescribed(sql`p.id`)} as has_described, ${isAnswerTested(sql`p.id`)} as is_tested, ${credentialsWithinBudget(sql`p.company_id`)} as credentials
      from products p join companies o on o.id = p.company_id where p.id = ${id}`.execute(reader);
  return rows[0];
}
