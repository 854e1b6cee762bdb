import { describe, expect, test } from 'vitest';
import { loginAddress, wantedAddress } from './wanted.ts';

describe('the wanted address', () => {
  test('survives the login', () => {
    const address = loginAddress('/?page=lead-detail&leadId=7');
    expect(wantedAddress(address.slice(address.indexOf('?')))).toBe('/?page=lead-detail&leadId=7');
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
  ])('%s is not followed', (next) => {
    expect(wantedAddress(`?${new URLSearchParams({ next })}`)).toBe('/');
  });

  test('none is the start page', () => {
    expect(wantedAddress('')).toBe('/');
  });
});
