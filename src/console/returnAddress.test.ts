import { describe, expect, test } from 'vitest';
import { loginAddress, returnAddress } from './returnAddress.ts';

describe('the wanted address', () => {
  test('survives the login', () => {
    const address = loginAddress('/?page=lead-detail&leadId=7');
    expect(returnAddress(address.slice(address.indexOf('?')))).toBe('/?page=lead-detail&leadId=7');
    expect(loginAddress('/')).toBe('/auth/login');
  });

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '/auth/login',
    'http://[',
    '/v1/auth/logout',
  ])('does not follow %s', (next) => {
    expect(returnAddress(`?${new URLSearchParams({ next })}`)).toBe('/');
  });

  test('falls back to the start page', () => {
    expect(returnAddress('')).toBe('/');
  });
});
