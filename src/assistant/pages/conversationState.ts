/**
 * State of the conversation with the assistant as the panel shows it: messages, proposals and whose turn it is. Calls
 * are answered one after another, by index. Pure.
 */
import type { Chunk, ToolCall } from '../contract.ts';

export type CallStatus =
  /** Waits for the operator to confirm or deny it. */
  | 'asked'
  /** Waits for earlier calls. */
  | 'later'
  /** Confirmed by the operator; the server has not yet allowed this tab to execute it. */
  | 'confirming'
  | 'running'
  | 'done'
  | 'failed'
  | 'denied'
  | 'undone'
  /** Confirmed before the connection broke, so its outcome is unknown. */
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
  /** Waiting for an answer from the model or for a reply to a frame. */
  readonly answering: boolean;
  /** The last entry is a partial answer. */
  readonly streaming: boolean;
  /** Error message; null if there is none. */
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
  /** A call changes its status. `note` is added below the call. */
  | { readonly kind: 'call'; readonly callId: string; readonly status: CallStatus; readonly note?: string }
  /** The result of a call was sent. Next is another call or the model. */
  | { readonly kind: 'answered'; readonly asksFirst: (call: ToolCall) => boolean }
  | { readonly kind: 'failed'; readonly error: string | null }
  /** The connection is back. Texts of the old one are gone; calls that can be undone stay. */
  | { readonly kind: 'reconnected'; readonly undoable: ReadonlySet<string> }
  | { readonly kind: 'disconnected' }
  | { readonly kind: 'cleared' };

/** Statuses of an unfinished call. */
const OPEN: ReadonlySet<CallStatus> = new Set(['asked', 'later', 'confirming', 'running', 'unknown']);

const SETTLED: ReadonlySet<CallStatus> = new Set(['done', 'failed', 'denied']);

export const isOpen = (entry: Entry): entry is CallEntry => entry.kind === 'call' && OPEN.has(entry.status);

/** The call that is next to be answered. */
export const currentCall = (flow: ConversationState): CallEntry | undefined => flow.entries.find(isOpen);

/**
 * Return whether the server allows a confirmed call to one tab only, and answers `confirm` with `confirmed`. Ours does,
 * and says `confirm` with each call. The specification has no such frames: a server that knows no others would never
 * answer.
 */
export const isReservedByServer = ({ confirm }: ToolCall): boolean => confirm !== undefined;

/** Return whether the operator may write: no answer is pending and no proposal is open. */
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

/** Either the question has ended along with its proposals, or a single frame was refused. */
function applyError(flow: ConversationState, isOver: boolean): ConversationState {
  const entries = flow.entries.map((entry): Entry => {
    if (!isOpen(entry)) return entry;
    if (isOver) return { ...entry, status: 'failed' };
    return entry.status === 'confirming' ? { ...entry, status: 'unknown' } : entry;
  });
  return { ...flow, entries, answering: !isOver && flow.answering };
}

/** Change the answer being streamed, or begin a new one. */
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

/** Activate the first unfinished call. */
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
    // Directly below its call, because calls proposed with it follow.
    return note === undefined ? [now] : [now, { kind: 'note', key: flow.next, text: note }];
  });
  // The result is being sent. The next call starts once it is sent.
  return { ...flow, entries, next: flow.next + 1, answering: SETTLED.has(status) || flow.answering };
}
