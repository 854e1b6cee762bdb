import { describe, expect, it } from 'vitest';
import { Refusal, refuse } from './refuse.ts';

const kinds = { 'lead.inactive': { status: 409, sentence: '{name} is inactive for {days} days, says {who}.' } };

describe('a refusal', () => {
  it('gives a refusal its code, status and sentence', () => {
    const refusal = refuse(kinds, 'lead.inactive', { name: '{days}', days: 3, retryAfter: 7 });
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({ code: 'lead.inactive', status: 409, retryAfter: 7 });
    expect(refusal.message).toBe('{days} is inactive for 3 days, says {who}.');
  });

  it('requires every refusal to be listed', () => {
    expect(() => refuse(kinds, 'lead.unknown' as 'lead.inactive')).toThrow('Unlisted refusal lead.unknown');
  });
});
