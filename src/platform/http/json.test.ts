import { describe, expect, it } from 'vitest';
import { ValidationError } from './errors.ts';
import { parseForm, parseLenient, parseStrict, refuseUnstorable } from './json.ts';

const detailOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    if (error instanceof ValidationError) return error.detail[0];
    throw error;
  }
  return null;
};

describe('a body of ours', () => {
  it('is taken as it is', () => {
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
  ])('is refused with its place: %s', (text, detail) => {
    expect(detailOf(() => parseStrict(text))).toMatchObject(detail);
  });

  it('is not named __proto__ in a query either: validation refuses it there as unknown', () => {
    expect(detailOf(() => refuseUnstorable('query', { constructor: '1' }))).toBeNull();
    expect(detailOf(() => refuseUnstorable('query', { search: 'a\u0000' }))).toMatchObject({
      loc: ['query', 'search'],
    });
  });
});

describe('a body of a vendor', () => {
  it('loses what cannot be stored and nothing else: the message gets through', () => {
    const text =
      '{"messages":[{"text":"Hel\\u0000lo \\ud83d!","messageId":"1","__proto__":{"a":1},"constructor":2,"x\\u0000":3}]}';
    expect(parseLenient(text)).toEqual({ messages: [{ text: 'Hello \ufffd!', messageId: '1', x: 3 }] });
  });

  it('is cut where it is nested absurdly', () => {
    expect(JSON.stringify(parseLenient(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)).length).toBeLessThan(100);
  });

  it('may be a form', () => {
    expect(parseForm('a=1&b=%00x&a=2&__proto__=3')).toEqual({ a: '2', b: 'x' });
  });

  it('has to be JSON, all the same', () => {
    expect(detailOf(() => parseLenient('{'))).toMatchObject({ type: 'json_invalid' });
  });
});
