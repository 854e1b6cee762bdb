import { expect, it } from 'vitest';
import { remembered } from './remembered.ts';

it('computes what it was asked lately once, and forgets what it was asked long ago', () => {
  const computed: string[] = [];
  const upper = remembered(2, (text) => {
    computed.push(text);
    return text.toUpperCase();
  });
  expect(['a', 'a', 'b', 'c', 'a', 'd', 'e', 'f', 'b'].map(upper).join('')).toBe('AABCADEFB');
  expect(computed.join('')).toBe('abcdefb');
});

it('does not keep long texts', () => {
  let count = 0;
  const lengthOf = remembered(2, (text) => {
    count++;
    return text.length;
  });
  const long = 'x'.repeat(1000);
  expect([lengthOf(long), lengthOf(long), count]).toEqual([1000, 1000, 2]);
});
