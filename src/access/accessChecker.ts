/**
 * Access checks by scope. Every id in a request names a noun. Each noun's module declares here how its rows lead to a
 * company, and the one check below covers all of them.
 */
import type { AppContext } from '../platform/appContext.ts';
import type { AccessControl, Caller } from '../platform/http/caller.ts';
import type { CompaniesOfProducts } from './companiesOfProducts.ts';
import { findRowsByRule } from './store/scopes.ts';

/**
 * Access rule of a noun: SQL that returns those rows of `$1::bigint[]` that exist, as (id, product_id) or (id,
 * company_id). A rule by `own` decides itself which ids are accessible.
 */
export interface AccessRule {
  readonly by: 'company' | 'product' | 'own';
  /**
   * For `product`: `select id, product_id from …`. For `company`: `select id, company_id from …`. For `own`: two
   * parameters, the ids and the caller's company ids (null for admins); returns the accessible ids.
   */
  readonly sql: string;
}
export type AccessRules = Readonly<Record<string, AccessRule>>;

export const companyAccess: AccessRules = {
  company: { by: 'company', sql: 'select id, id as company_id from companies where id = any($1::bigint[])' },
};

/** Create the check that finds inaccessible ids for the server. */
export function createAccessChecker(
  { pool }: Pick<AppContext, 'pool'>,
  companiesOf: CompaniesOfProducts,
  rules: AccessRules,
): AccessControl['findInaccessible'] {
  type Reaches = (company: number) => boolean;

  async function areAllAccessible({
    caller,
    resource,
    ids,
    canReach,
  }: {
    caller: Caller | null;
    resource: string;
    ids: ReadonlySet<number>;
    canReach: Reaches;
  }): Promise<boolean> {
    if (resource === 'product') {
      const companies = await companiesOf(ids);
      return [...ids].every((id) => {
        const company = companies.get(id);
        return company !== undefined && canReach(company);
      });
    }
    const rule = rules[resource];
    // A noun without a rule has no accessible rows.
    if (!rule) return false;
    if (rule.by === 'own') {
      const rows = await findRowsByRule(pool, rule.sql, [[...ids], caller?.companies ?? null]);
      return rows.length === ids.size;
    }
    const rows = await findRowsByRule(pool, rule.sql, [[...ids]]);
    if (rows.length !== ids.size) return false;
    if (rule.by === 'company') return rows.every((row) => row.company_id !== undefined && canReach(row.company_id));
    return areAllAccessible({
      caller,
      resource: 'product',
      ids: new Set(rows.map((row) => row.product_id ?? 0)),
      canReach,
    });
  }

  return async (caller, references, onCompany) => {
    const canReach: Reaches = (company) => {
      const isAccessible = caller === null || caller.companies === null || caller.companies.includes(company);
      if (isAccessible) onCompany?.(company);
      return isAccessible;
    };
    for (const [resource, ids] of references)
      if (!(await areAllAccessible({ caller, resource, ids, canReach }))) return resource;
    return null;
  };
}
