import { describe, expect, test } from 'vitest';
import { endpointUrl } from './endpointUrl.ts';

const thing = { path: '/v1/things/{id}' };

describe('endpointUrl', () => {
  test('fills the path, drops null and undefined, repeats arrays', () => {
    expect(endpointUrl(thing, { id: 7 }, { kind: ['a', 'b'], search: null, page: undefined })).toBe(
      '/v1/things/7?kind=a&kind=b',
    );
  });

  test('escapes what is put into the path and the query', () => {
    expect(endpointUrl(thing, { id: 'a/b?c' }, { search: 'x&y=z' })).toBe('/v1/things/a%2Fb%3Fc?search=x%26y%3Dz');
  });
});
