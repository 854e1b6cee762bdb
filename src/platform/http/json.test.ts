import { describe, expect, it } from 'vitest';
import { ValidationError } from './errors.ts';
import { decodeStrict, parseForm, parseLenient, parseStrict, refuseUnstorable } from './json.ts';

const detailOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof ValidationError) return error.detail[0];
    throw error;
  }
  return null;
};

describe("a body from our API's clients", () => {
  it('parses a body unchanged', () => {
    const text = '{"a":[1,null,{"b":"ключ 🔑\\n"}],"toString":1}';
    expect(parseStrict(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['{', { loc: ['body'], type: 'json_invalid' }],
    ['{"a":{"__proto__":1}}', { loc: ['body', 'a', '__proto__'], type: 'extra_forbidden' }],
    ['[{"prototype":1}]', { loc: ['body', 0, 'prototype'], type: 'extra_forbidden' }],
    ['{"a":"x\\u0000"}', { loc: ['body', 'a'], type: 'string_invalid' }],
    ['{"a":["\\ud83d"]}', { loc: ['body', 'a', 0], type: 'string_invalid' }],
    ['{"\\u0000":1}', { loc: ['body'], type: 'string_invalid' }],
    [`${'['.repeat(40)}${']'.repeat(40)}`, { loc: ['body'], type: 'too_deep' }],
  ])('refuses a body and names the place: %s', (text, detail) => {
    expect(detailOf(() => parseStrict(text))).toMatchObject(detail);
  });

  it('refuses bytes that are no UTF-8', () => {
    const latin = Buffer.from('{"a":"M\u00fcller"}', 'latin1');
    expect(detailOf(() => decodeStrict(latin))).toEqual({
      loc: ['body'],
      msg: 'The body is not valid UTF-8',
      type: 'json_invalid',
    });
    expect(decodeStrict(Buffer.from('{"a":"M\u00fcller"}'))).toBe('{"a":"M\u00fcller"}');
  });

  it('refuses __proto__ as an unknown query parameter', () => {
    expect(detailOf(() => refuseUnstorable('query', { constructor: '1' }))).toBeNull();
    expect(detailOf(() => refuseUnstorable('query', { search: 'a\u0000' }))).toMatchObject({
      loc: ['query', 'search'],
    });
  });
});

describe('a body from a vendor', () => {
  it("drops only what cannot be stored from a vendor's body, so that the message gets through", () => {
    const text =
      '{"messages":[{"text":"Hel\\u0000lo \\ud83d!","messageId":"1","__proto__":{"a":1},"constructor":2,"x\\u0000":3}]}';
    expect(parseLenient(text)).toEqual({ messages: [{ text: 'Hello \ufffd!', messageId: '1', x: 3 }] });
  });

  it("cuts a vendor's body that is nested too deep", () => {
    expect(JSON.stringify(parseLenient(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).length).toBeLessThan(100);
  });

  it('accepts a form from a vendor', () => {
    expect(parseForm('a=1&b=%00x&a=2&__proto__=3')).toEqual({ a: '2', b: 'x' });
  });

  it("refuses a vendor's body that is not JSON", () => {
    expect(detailOf(() => parseLenient('{'))).toMatchObject({ type: 'json_invalid' });
  });
});
