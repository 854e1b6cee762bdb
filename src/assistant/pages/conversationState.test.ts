import { describe, expect, it } from 'vitest';
import { type Chunk, chunk as chunkShape, type ToolCall } from '../contract.ts';
import {
  type ConversationEvent,
  type ConversationState,
  currentCall,
  EMPTY_CONVERSATION,
  isReservedByServer,
  mayAsk,
  reduceConversation,
} from './conversationState.ts';

const asksFirst = (one: ToolCall) => one.confirm !== false;
const call = (name: string, index: number, more: Partial<ToolCall> = {}): ToolCall => ({
  name,
  index,
  arguments: {},
  confirm: name !== 'look',
  call_id: `${name}-${index}`,
  ...more,
});
const chunk = (message: string, rest: Partial<Chunk> = {}, calls: ToolCall[] = []): ConversationEvent => ({
  kind: 'heard',
  asksFirst,
  chunk: {
    content: { message, message_type: 'full', tool_calls: calls },
    is_finished: calls.length === 0,
    is_error: false,
    ...rest,
  },
});
const piece = (message: string): ConversationEvent => ({
  kind: 'heard',
  asksFirst,
  chunk: { content: { message, message_type: 'delta', tool_calls: [] }, is_finished: false, is_error: false },
});
const play = (...turns: ConversationEvent[]): ConversationState => turns.reduce(reduceConversation, EMPTY_CONVERSATION);
const asked: ConversationEvent = { kind: 'asked', text: 'Please' };
const summaryOf = (flow: ConversationState) =>
  flow.entries.map((one) => (one.kind === 'call' ? `${one.call.name} ${one.status}` : one.text));
const to = (
  callId: string,
  status: 'confirming' | 'running' | 'done' | 'denied',
  note?: string,
): ConversationEvent => ({
  kind: 'call',
  callId,
  status,
  ...(note === undefined ? {} : { note }),
});
const answered: ConversationEvent = { kind: 'answered', asksFirst };

describe('an answer', () => {
  it('grows by its chunks and ends as the final text', () => {
    const half = play(asked, piece('Go'), piece('od'));
    expect(summaryOf(half)).toEqual(['Please', 'Good']);
    expect(mayAsk(half)).toBe(false);
    const whole = reduceConversation(half, chunk('Good day'));
    expect(summaryOf(whole)).toEqual(['Please', 'Good day']);
    expect(mayAsk(whole)).toBe(true);
    // The next chunk belongs to another answer.
    expect(summaryOf(reduceConversation(whole, chunk('And')))).toEqual(['Please', 'Good day', 'And']);
  });

  it('ends with the reason when it failed', () => {
    const flow = play(asked, piece('Go'), chunk('No key', { is_error: true, is_finished: true }));
    expect(flow.error).toBe('No key');
    expect(mayAsk(flow)).toBe(true);
    expect(reduceConversation(flow, asked).error).toBeNull();
  });
});

describe('calls', () => {
  const two = play(asked, chunk('I will', {}, [call('set', 1), call('change', 0)]));

  it('run by index, and only those that change something wait for the operator', () => {
    expect(summaryOf(two)).toEqual(['Please', 'I will', 'change asked', 'set later']);
    expect(mayAsk(two)).toBe(false);
    const between = reduceConversation(two, to('change-0', 'denied'));
    // The result is being sent.
    expect(
      mayAsk(
        reduceConversation({ ...EMPTY_CONVERSATION, ...play(chunk('', {}, [call('set', 0)])) }, to('set-0', 'denied')),
      ),
    ).toBe(false);
    expect(between.answering).toBe(true);
    const second = [to('change-0', 'confirming'), to('change-0', 'running'), to('change-0', 'done'), answered].reduce(
      reduceConversation,
      two,
    );
    expect(summaryOf(second)).toEqual(['Please', 'I will', 'change done', 'set asked']);
    expect(second.answering).toBe(false);
    const last = [to('set-1', 'denied', 'Action denied by user.'), answered].reduce(reduceConversation, second);
    expect(summaryOf(last)).toEqual(['Please', 'I will', 'change done', 'set denied', 'Action denied by user.']);
    expect(last.answering).toBe(true);
    expect(mayAsk(reduceConversation(last, chunk('As you like')))).toBe(true);
    expect(currentCall(play(chunk('', {}, [call('look', 0)])))?.status).toBe('running');
  });

  it('show a denial beneath their own card', () => {
    const denied = [
      to('change-0', 'denied', 'Action denied by user.'),
      answered,
      to('set-1', 'denied', 'Action denied by user.'),
    ].reduce(reduceConversation, two);
    expect(summaryOf(denied).slice(2)).toEqual([
      'change denied',
      'Action denied by user.',
      'set denied',
      'Action denied by user.',
    ]);
    expect(new Set(denied.entries.map(({ key }) => key)).size).toBe(denied.entries.length);
  });

  it('without a confirm field ask the operator first', () => {
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
    expect(summaryOf(flow)).toEqual(['Please', 'I will', 'set asked']);
    const asks = [currentCall(flow)?.call, call('set', 0), call('look', 0)].map(
      (one) => one && isReservedByServer(one),
    );
    expect(asks).toEqual([false, true, true]);
  });

  it('are restored once after a reconnect, with their undo', () => {
    const done = [to('change-0', 'done'), answered].reduce(reduceConversation, two);
    const back = [
      { kind: 'disconnected' },
      { kind: 'reconnected', undoable: new Set(['change-0']) },
      chunk('', {}, [call('set', 1)]),
      chunk('', {}, [call('set', 1)]),
    ].reduce<ConversationState>((flow, turn) => reduceConversation(flow, turn as ConversationEvent), done);
    expect(summaryOf(back)).toEqual(['change done', 'set asked']);
    const resumed = reduceConversation({ ...EMPTY_CONVERSATION }, chunk('', {}, [call('set', 0, { confirmed: true })]));
    expect(summaryOf(resumed)).toEqual(['set unknown']);
  });

  it('wait or end when the server refuses the answer', () => {
    const confirming = reduceConversation(two, to('change-0', 'confirming'));
    const word = chunk('This was already confirmed', { is_error: true, is_finished: false });
    expect(summaryOf(reduceConversation(confirming, word)).slice(2)).toEqual(['change unknown', 'set later']);
    const over = reduceConversation(confirming, chunk('Too old', { is_error: true, is_finished: true }));
    expect(summaryOf(over).slice(2)).toEqual(['change failed', 'set failed']);
    expect(mayAsk(over)).toBe(true);
    expect(reduceConversation(over, { kind: 'cleared' }).entries).toEqual([]);
  });
});
