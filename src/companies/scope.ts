/**
 * Who reaches what. Every id in a request names a noun; each noun's room says here how its rows lead to a company, and
 * the one check below answers for all of them.
 */
import type pg from 'pg';
import type { Ground } from '../platform/ground.ts';
import type { Caller, Gate } from '../platform/http/caller.ts';
import { prepared } from '../platform/statements.ts';

/**
 * Noun → SQL giving the rows of `$1::bigint[]` that exist as (id, product_id) or (id, company_id); `everyone` for
 * nouns whose rows any signed-in operator may name, with their own rule in `member`.
 */
export interface ScopeRule {
  readonly by: 'company' | 'product' | 'own';
  /** For `product`: `select id, product_id from …`. For `company`: `select id, company_id from …`. For `own`: two
   * parameters, ids and the caller's company ids (null for admins): the ids within reach. */
  readonly sql: string;
}
export type ScopeRules = Readonly<Record<string, ScopeRule>>;

export const companyScopes: ScopeRules = {
  company: { by: 'company', sql: 'select id, id as company_id from companies where id = any($1::bigint[])' },
};

/** Answers the server's question which ids are out of reach. */
export function createReach(ground: Ground, rules: ScopeRules): Gate['missing'] {
  // A product's company hardly ever changes, and nearly every request names a product.
  const companyOfProduct = new Map<number, number>();
  let generation = 0;
  const forget = () => {
    generation++;
    companyOfProduct.clear();
  };
  ground.live.on('forget', forget, forget);

  async function companiesOf(pool: pg.Pool, products: ReadonlySet<number>): Promise<Map<number, number>> {
    const found = new Map<number, number>();
    const open: number[] = [];
    for (const id of products) {
      const company = ground.live.healthy ? companyOfProduct.get(id) : undefined;
      if (company === undefined) open.push(id);
      else found.set(id, company);
    }
    if (open.length === 0) return found;
    const begun = generation;
    const { rows } = await pool.query<{ id: number; company_id: number }>({
      ...prepared('select id, company_id from products where id = any($1::bigint[])'),
      values: [open],
    });
    for (const row of rows) {
      found.set(row.id, row.company_id);
      if (begun === generation) companyOfProduct.set(row.id, row.company_id);
    }
    return found;
  }

  type Reaches = (company: number) => boolean;

  async function allWithin(
    caller: Caller | null,
    noun: string,
    ids: ReadonlySet<number>,
    reaches: Reaches,
  ): Promise<boolean> {
    if (noun === 'product') {
      const companies = await companiesOf(ground.pool, ids);
      return [...ids].every((id) => {
        const company = companies.get(id);
        return company !== undefined && reaches(company);
      });
    }
    const rule = rules[noun];
    // A noun whose room is not there yet has no rows.
    if (!rule) return false;
    if (rule.by === 'own') {
      const { rows } = await ground.pool.query<{ id: number }>({
        ...prepared(rule.sql),
        values: [[...ids], caller?.companies ?? null],
      });
      return rows.length === ids.size;
    }
    const { rows } = await ground.pool.query<{ id: number; product_id?: number; company_id?: number }>({
      ...prepared(rule.sql),
      values: [[...ids]],
    });
    if (rows.length !== ids.size) return false;
    if (rule.by === 'company') return rows.every((row) => row.company_id !== undefined && reaches(row.company_id));
    return allWithin(caller, 'product', new Set(rows.map((row) => row.product_id ?? 0)), reaches);
  }

  return async (caller, references, seen) => {
    const reaches: Reaches = (company) => {
      const isWithin = caller === null || caller.companies === null || caller.companies.includes(company);
      if (isWithin) seen?.(company);
      return isWithin;
    };
    for (const [noun, ids] of references) if (!(await allWithin(caller, noun, ids, reaches))) return noun;
    return null;
  };
}
