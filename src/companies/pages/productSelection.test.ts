import { describe, expect, test } from 'vitest';
import { choiceCookies, readChoice } from './productSelection.ts';

describe('the chosen company and product', () => {
  test('are read among other cookies', () => {
    expect(readChoice('a=1; rapport_company_id=3; rapport_product_id=17;b=2')).toEqual({ companyId: 3, productId: 17 });
  });

  test('ignores a cookie whose name only ends the same', () => {
    expect(readChoice('x_rapport_company_id=3')).toEqual({ companyId: null, productId: null });
  });

  test.each(['', '0', '-1', '1.5', 'abc', '1e3', '99999999999999999999'])('ignores the invalid choice %j', (value) => {
    expect(readChoice(`rapport_company_id=${value}`).companyId).toBeNull();
  });

  test('last 30 days and are restored unchanged', () => {
    const cookies = choiceCookies(3, 17);
    for (const cookie of cookies) expect(cookie).toContain('Max-Age=2592000');
    expect(readChoice(cookies.map((cookie) => cookie.split(';')[0]).join('; '))).toEqual({
      companyId: 3,
      productId: 17,
    });
  });
});
