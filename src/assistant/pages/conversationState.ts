/**
 * How a conversation with the assistant goes on, as the panel shows it: what was said, what is proposed, and whose turn
 * it is. Calls are answered one after the other, by their index. Pure.
 */
import type { Chunk, ToolCall } from '../contract.ts';

export type CallStatus =
  /** The operator has to say yes or no. */
  | 'asked'
  /** Its turn has not come. */
  | 'later'
  /** Confirmed; the server has not yet said that it is ours to carry out. */
  | 'confirming'
  | 'running'
  | 'done'
  | 'failed'
  | 'denied'
  | 'undone'
  /** Confirmed before the connection broke: what became of it is not known here. */
  | 'unknown';

export interface CallEntry {
  readonly kind: 'call';
  readonly key: number;
  readonly call: ToolCall;
  readonly status: CallStatus;
}

export type Entry =
  | { readonly kind: 'operator' | 'assistant' | 'note'; readonly key: number; readonly text: string }
  | CallEntry;

export interface ConversationState {
  readonly entries: readonly Entry[];
  /** An answer is awaited: from the model, or to what was sent. */
  readonly answering: boolean;
  /** The last entry is the beginning of an answer. */
  readonly streaming: boolean;
  /** What went wrong, in words; null: nothing. */
  readonly error: string | null;
  readonly next: number;
}

export const EMPTY_CONVERSATION: ConversationState = {
  entries: [],
  answering: false,
  streaming: false,
  error: null,
  next: 0,
};

export type ConversationEvent =
  | { readonly kind: 'asked'; readonly text: string }
  | { readonly kind: 'heard'; readonly chunk: Chunk; readonly asksFirst: (call: ToolCall) => boolean }
  /** A call goes on to another state; `note` appears beneath it as a note of the bot. */
  | { readonly kind: 'call'; readonly callId: string; readonly status: CallStatus; readonly note?: string }
  /** The result of a call went out: the next call's turn, or the model's. */
  | { readonly kind: 'answered'; readonly asksFirst: (call: ToolCall) => boolean }
  | { readonly kind: 'failed'; readonly error: string | null }
  /** The connection is there again: texts are gone with the old one, what can be undone stays. */
  | { readonly kind: 'reconnected'; readonly undoable: ReadonlySet<string> }
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'cleared' };

/** The states of a call that is not over. */
const OPEN: ReadonlySet<CallStatus> = new Set(['asked', 'later', 'confirming', 'running', 'unknown']);

const SETTLED: ReadonlySet<CallStatus> = new Set(['done', 'failed', 'denied']);

export const isOpen = (entry: Entry): entry is CallEntry => entry.kind === 'call' && OPEN.has(entry.status);

/** The call whose turn it is. */
export const currentCall = (flow: ConversationState): CallEntry | undefined => flow.entries.find(isOpen);

/** Whether the operator may write: nothing is awaited, and nothing waits for a yes or no. */
export const mayAsk = (flow: ConversationState): boolean => !flow.answering && currentCall(flow) === undefined;

export function reduceConversation(flow: ConversationState, event: ConversationEvent): ConversationState {
  switch (event.kind) {
    case 'asked':
      return {
        ...append(flow, { kind: 'operator', text: event.text }),
        answering: true,
        streaming: false,
        error: null,
      };
    case 'heard':
      return applyChunk(flow, event.chunk, event.asksFirst);
    case 'call':
      return updateCall(flow, event);
    case 'answered':
      return { ...startNextCall(flow, event.asksFirst), answering: currentCall(flow) === undefined };
    case 'failed':
      return { ...flow, error: event.error };
    case 'reconnected':
      return {
        ...flow,
        entries: flow.entries.filter((entry) => entry.kind === 'call' && event.undoable.has(entry.call.call_id)),
        answering: false,
        streaming: false,
      };
    case 'disconnected':
      return { ...flow, answering: false, streaming: false };
    case 'cleared':
      return { ...EMPTY_CONVERSATION, next: flow.next };
    default:
      return event satisfies never;
  }
}

function append(flow: ConversationState, entry: { kind: 'operator' | 'assistant'; text: string }): ConversationState {
  return { ...flow, entries: [...flow.entries, { ...entry, key: flow.next }], next: flow.next + 1 };
}

function applyChunk(flow: ConversationState, chunk: Chunk, asksFirst: (call: ToolCall) => boolean): ConversationState {
  const { message, message_type: type, tool_calls: calls } = chunk.content;
  if (chunk.is_error) return applyError({ ...flow, error: message, streaming: false }, chunk.is_finished);
  if (type === 'delta') return appendText(flow, (before) => before + message, true);
  const updated = message === '' ? { ...flow, streaming: false } : appendText(flow, () => message, false);
  if (calls.length === 0) return { ...updated, answering: chunk.is_finished ? false : updated.answering };
  return addCalls({ ...updated, answering: false }, calls, asksFirst);
}

/** Either the question is over with all that was proposed, or a word of ours was not taken. */
function applyError(flow: ConversationState, isOver: boolean): ConversationState {
  const entries = flow.entries.map((entry): Entry => {
    if (!isOpen(entry)) return entry;
    if (isOver) return { ...entry, status: 'failed' };
    return entry.status === 'confirming' ? { ...entry, status: 'unknown' } : entry;
  });
  return { ...flow, entries, answering: !isOver && flow.answering };
}

/** The answer that is being given, changed; where none is, one begins. */
function appendText(flow: ConversationState, text: (before: string) => string, streaming: boolean): ConversationState {
  const last = flow.entries.at(-1);
  if (!flow.streaming || last?.kind !== 'assistant')
    return { ...append(flow, { kind: 'assistant', text: text('') }), streaming };
  const entries = flow.entries.with(flow.entries.length - 1, { ...last, text: text(last.text) });
  return { ...flow, entries, streaming };
}

function addCalls(
  flow: ConversationState,
  calls: readonly ToolCall[],
  asksFirst: (call: ToolCall) => boolean,
): ConversationState {
  const openIds = new Set(flow.entries.flatMap((entry) => (isOpen(entry) ? [entry.call.call_id] : [])));
  let { next } = flow;
  const added = calls
    .filter(({ call_id }) => !openIds.has(call_id))
    .toSorted((one, other) => one.index - other.index)
    .map(
      (call): CallEntry => ({ kind: 'call', key: next++, call, status: call.confirmed === true ? 'unknown' : 'later' }),
    );
  return startNextCall({ ...flow, entries: [...flow.entries, ...added], next }, asksFirst);
}

/** Gives the first call that is not over its turn. */
function startNextCall(flow: ConversationState, asksFirst: (call: ToolCall) => boolean): ConversationState {
  const first = currentCall(flow);
  if (first?.status !== 'later') return flow;
  const status: CallStatus = asksFirst(first.call) ? 'asked' : 'running';
  return { ...flow, entries: flow.entries.map((entry) => (entry === first ? { ...first, status } : entry)) };
}

function updateCall(
  flow: ConversationState,
  { callId, status, note }: Extract<ConversationEvent, { kind: 'call' }>,
): ConversationState {
  const entries = flow.entries.flatMap((entry): Entry[] => {
    if (entry.kind !== 'call' || entry.call.call_id !== callId) return [entry];
    const now: CallEntry = { ...entry, status };
    // Beneath its own call: others that were proposed with it come after.
    return note === undefined ? [now] : [now, { kind: 'note', key: flow.next, text: note }];
  });
  // Its result is on its way: until it is out, nobody else's turn comes.
  return { ...flow, entries, next: flow.next + 1, answering: SETTLED.has(status) || flow.answering };
}
