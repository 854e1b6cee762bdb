import { describe, expect, it } from 'vitest';
import { type Chunk, chunk as chunkShape, type ToolCall } from '../contract.ts';
import { after, current, type Flow, mayAsk, QUIET, type Turn } from './flow.ts';

const asksFirst = (one: ToolCall) => one.confirm;
const call = (name: string, index: number, more: Partial<ToolCall> = {}): ToolCall => ({
  name,
  index,
  arguments: {},
  confirm: name !== 'look',
  call_id: `${name}-${index}`,
  ...more,
});
const chunk = (message: string, rest: Partial<Chunk> = {}, calls: ToolCall[] = []): Turn => ({
  kind: 'heard',
  asksFirst,
  chunk: {
    content: { message, message_type: 'full', tool_calls: calls },
    is_finished: calls.length === 0,
    is_error: false,
    ...rest,
  },
});
const piece = (message: string): Turn => ({
  kind: 'heard',
  asksFirst,
  chunk: { content: { message, message_type: 'delta', tool_calls: [] }, is_finished: false, is_error: false },
});
const play = (...turns: Turn[]): Flow => turns.reduce(after, QUIET);
const asked: Turn = { kind: 'asked', text: 'Please' };
const shown = (flow: Flow) =>
  flow.entries.map((one) => (one.kind === 'call' ? `${one.call.name} ${one.status}` : one.text));
const to = (callId: string, status: 'confirming' | 'running' | 'done' | 'denied', note?: string): Turn => ({
  kind: 'call',
  callId,
  status,
  ...(note === undefined ? {} : { note }),
});
const answered: Turn = { kind: 'answered', asksFirst };

describe('an answer', () => {
  it('grows by its pieces and ends as the whole says', () => {
    const half = play(asked, piece('Go'), piece('od'));
    expect(shown(half)).toEqual(['Please', 'Good']);
    expect(mayAsk(half)).toBe(false);
    const whole = after(half, chunk('Good day'));
    expect(shown(whole)).toEqual(['Please', 'Good day']);
    expect(mayAsk(whole)).toBe(true);
    // What is said next is another answer.
    expect(shown(after(whole, chunk('And')))).toEqual(['Please', 'Good day', 'And']);
  });

  it('that failed is over, and says why', () => {
    const flow = play(asked, piece('Go'), chunk('No key', { is_error: true, is_finished: true }));
    expect(flow.error).toBe('No key');
    expect(mayAsk(flow)).toBe(true);
    expect(after(flow, asked).error).toBeNull();
  });
});

describe('calls', () => {
  const two = play(asked, chunk('I will', {}, [call('set', 1), call('change', 0)]));

  it('take turns by their index; only what changes something waits for the operator', () => {
    expect(shown(two)).toEqual(['Please', 'I will', 'change asked', 'set later']);
    expect(mayAsk(two)).toBe(false);
    const between = after(two, to('change-0', 'denied'));
    // The result is on its way.
    expect(mayAsk(after({ ...QUIET, ...play(chunk('', {}, [call('set', 0)])) }, to('set-0', 'denied')))).toBe(false);
    expect(between.answering).toBe(true);
    const second = [to('change-0', 'confirming'), to('change-0', 'running'), to('change-0', 'done'), answered].reduce(
      after,
      two,
    );
    expect(shown(second)).toEqual(['Please', 'I will', 'change done', 'set asked']);
    expect(second.answering).toBe(false);
    const last = [to('set-1', 'denied', 'Action denied by user.'), answered].reduce(after, second);
    expect(shown(last)).toEqual(['Please', 'I will', 'change done', 'set denied', 'Action denied by user.']);
    expect(last.answering).toBe(true);
    expect(mayAsk(after(last, chunk('As you like')))).toBe(true);
    expect(current(play(chunk('', {}, [call('look', 0)])))?.status).toBe('running');
  });

  it('that are denied say so beneath their own card', () => {
    const denied = [
      to('change-0', 'denied', 'Action denied by user.'),
      answered,
      to('set-1', 'denied', 'Action denied by user.'),
    ].reduce(after, two);
    expect(shown(denied).slice(2)).toEqual([
      'change denied',
      'Action denied by user.',
      'set denied',
      'Action denied by user.',
    ]);
    expect(new Set(denied.entries.map(({ key }) => key)).size).toBe(denied.entries.length);
  });

  it('of the specification’s own shape ask the operator first', () => {
    const frame = {
      content: {
        message: 'I will',
        message_type: 'full',
        tool_calls: [{ name: 'set', arguments: { text: 'Hello' }, call_id: 'call_1', index: 0 }],
      },
      is_finished: false,
      is_error: false,
    };
    const flow = play(asked, { kind: 'heard', asksFirst, chunk: chunkShape.parse(frame) });
    expect(shown(flow)).toEqual(['Please', 'I will', 'set asked']);
  });

  it('are shown again after a break, once, with what can still be undone', () => {
    const done = [to('change-0', 'done'), answered].reduce(after, two);
    const back = [
      { kind: 'disconnected' },
      { kind: 'reconnected', kept: new Set(['change-0']) },
      chunk('', {}, [call('set', 1)]),
      chunk('', {}, [call('set', 1)]),
    ].reduce<Flow>((flow, turn) => after(flow, turn as Turn), done);
    expect(shown(back)).toEqual(['change done', 'set asked']);
    const lost = after({ ...QUIET }, chunk('', {}, [call('set', 0, { confirmed: true })]));
    expect(shown(lost)).toEqual(['set unknown']);
  });

  it('that the server does not take wait on, or are over with the question', () => {
    const confirming = after(two, to('change-0', 'confirming'));
    const word = chunk('This was confirmed before', { is_error: true, is_finished: false });
    expect(shown(after(confirming, word)).slice(2)).toEqual(['change unknown', 'set later']);
    const over = after(confirming, chunk('Too old', { is_error: true, is_finished: true }));
    expect(shown(over).slice(2)).toEqual(['change failed', 'set failed']);
    expect(mayAsk(over)).toBe(true);
    expect(after(over, { kind: 'cleared' }).entries).toEqual([]);
  });
});
