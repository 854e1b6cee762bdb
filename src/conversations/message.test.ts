import { describe, expect, it } from 'vitest';
import { delaySeconds, displayText } from './message.ts';

describe('delaySeconds', () => {
  const link = { delay_messages_symbols_per_second: 5, delay_messages_seconds: 3 };
  it("adds the link's delay and the time to type", () => {
    expect(delaySeconds('ten chars.', link)).toBe(5);
    expect(delaySeconds('ten chars.', { ...link, delay_messages_symbols_per_second: null })).toBe(3);
    expect(delaySeconds('ten chars.', { ...link, delay_messages_seconds: null })).toBe(2);
    expect(delaySeconds('ten chars.', undefined)).toBe(0);
  });
});

describe('a message in lists and threads', () => {
  it('names a medium without text', () => {
    expect(displayText({ text: '', mediaKind: 'voice message' })).toBe('[voice message]');
    expect(displayText({ text: 'the plan', mediaKind: 'image' })).toBe('the plan');
    expect(displayText({ text: '', mediaKind: 'text' })).toBe('');
  });
});
