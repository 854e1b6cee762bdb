/** The chosen company and product, kept in cookies for 30 days. */
import { askBeforeLeaving } from '../../ui/activeGuards.ts';

const COMPANY_COOKIE = 'rapport_company_id';
const PRODUCT_COOKIE = 'rapport_product_id';
const MAX_AGE_SECONDS = 2_592_000;

export interface Choice {
  readonly companyId: number | null;
  readonly productId: number | null;
}

/** Read the choice from a `document.cookie` string; values that are not positive integers are ignored. */
export function readChoice(cookies: string): Choice {
  return { companyId: readId(cookies, COMPANY_COOKIE), productId: readId(cookies, PRODUCT_COOKIE) };
}

/** Return the `document.cookie` assignments that store a choice. */
export function choiceCookies(companyId: number, productId: number): readonly string[] {
  const rest = `; Path=/; Max-Age=${MAX_AGE_SECONDS}; SameSite=Lax`;
  return [`${COMPANY_COOKIE}=${companyId}${rest}`, `${PRODUCT_COOKIE}=${productId}${rest}`];
}

/** Switch to another product and call `open`, after the operator has agreed to lose unsaved changes. */
export function choose(companyId: number, productId: number, open: () => void): void {
  askBeforeLeaving(() => {
    for (const cookie of choiceCookies(companyId, productId)) document.cookie = cookie;
    open();
  });
}

function readId(cookies: string, name: string): number | null {
  const pair = cookies.split(/;\s*/).find((one) => one.startsWith(`${name}=`));
  const value = pair?.slice(name.length + 1) ?? '';
  const id = /^[1-9]\d*$/.test(value) ? Number(value) : null;
  return id !== null && Number.isSafeInteger(id) ? id : null;
}
