import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applyChange, changeShape } from './change.ts';
import { freeMap } from './contract.ts';
import { jsonSchemaOf } from './http/shapes.ts';

const whole = z
  .strictObject({
    name: z.string().min(1),
    hours: z.int().default(0),
    window: z
      .strictObject({ from: z.int().default(9), to: z.int().default(18) })
      .nullable()
      .default(null),
    tags: freeMap(z.string()).default({}),
  })
  .refine(({ name, hours }) => name !== 'long' || hours > 5, { message: 'Too short', path: ['hours'] });
const item = z.object({ id: z.int(), ...whole.shape });
const before = { id: 1, name: 'a', hours: 3, window: { from: 7, to: 8 }, tags: { one: '1', two: '2' } };
const after = (changes: object) => applyChange(whole, before, changes);

describe('a replaced or patched row', () => {
  it('keeps fields that are left out, inside declared objects too', () => {
    expect(after({ window: { to: 20 } })).toEqual({
      success: true,
      data: { name: 'a', hours: 3, window: { from: 7, to: 20 }, tags: { one: '1', two: '2' } },
    });
  });

  it('replaces free-form maps and nulls as a whole', () => {
    expect(after({ tags: { three: '3' }, window: null })).toMatchObject({
      data: { tags: { three: '3' }, window: null },
    });
  });

  it('fills an object that was null with its defaults', () => {
    expect(applyChange(whole, { ...before, window: null }, { window: { to: 20 } })).toMatchObject({
      data: { window: { from: 9, to: 20 } },
    });
  });

  it('checks rules across fields on the merged row', () => {
    expect(after({ name: 'long' })).toMatchObject({ success: false, error: { issues: [{ message: 'Too short' }] } });
    expect(after({ name: 'long', hours: 6 }).success).toBe(true);
  });

  it('is not refused for a stored value that breaks a later rule, unless the change names that field', () => {
    const broken = { ...before, name: '' };
    expect(applyChange(whole, broken, { hours: 4 })).toMatchObject({ success: true, data: { name: '', hours: 4 } });
    expect(applyChange(whole, broken, { name: '' }).success).toBe(false);
  });
});

describe('the body of a replace or patch', () => {
  const body = changeShape(whole, item);

  it('makes every field of a change optional and without defaults', () => {
    expect(body.parse({})).toEqual({});
    expect(body.parse({ window: { to: 1 } })).toEqual({ window: { to: 1 } });
    expect(jsonSchemaOf(body, 'input')['required']).toBeUndefined();
  });

  it('accepts read-only fields in a change, marked readOnly, and no other unknown fields', () => {
    expect(jsonSchemaOf(body, 'input').properties?.['id']).toEqual({ readOnly: true });
    expect(body.safeParse({ id: 1 }).success).toBe(true);
    expect(body.safeParse({ window: { of: 1 } }).success).toBe(false);
    expect(body.safeParse({ surprise: 1 }).success).toBe(false);
  });
});
