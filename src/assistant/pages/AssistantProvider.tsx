/**
 * The state of the conversation with the assistant. It is kept beside the pages, so that they do not render again with
 * each received chunk.
 */
import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import { type ChatSocket, useChatSocket } from '../../ui/chatSocket.ts';
import { fieldLabel } from '../../ui/fieldLabels.ts';
import { t } from '../../ui/i18n.ts';
import type { PageTool, PageToolHandler, Undo } from '../../ui/pageContext.ts';
import { chunk, rejection, type ToolCall } from '../contract.ts';
import { linkTo, type Place, placeOf, rememberPlace } from './callPlaces.ts';
import {
  type CallEntry,
  type ConversationEvent,
  type ConversationState,
  currentCall,
  EMPTY_CONVERSATION,
  isReservedByServer,
  mayAsk,
  reduceConversation,
} from './conversationState.ts';
import { type ConsoleTools, findHandler, runHandler, takePageSnapshot, takeStableSnapshot } from './pageSnapshot.ts';

const CHAT_KEY = 'rapport-assistant-chat';
/** Prefix of notes about failed tool calls. */
const FAILURE = '✗';

export interface Assistant {
  readonly flow: ConversationState;
  readonly socket: ChatSocket;
  readonly mayAsk: boolean;
  /** No product is chosen, so there is no conversation and no connection. */
  readonly hasNoProduct: boolean;
  /** Returns the page on which the call was proposed; null if unknown. */
  placeOf: (call: ToolCall) => Place | null;
  /** Returns the tool and handler of the current page for the call, if it has them. */
  toolOf: (call: ToolCall) => { readonly tool: PageTool | undefined; readonly handler: PageToolHandler | undefined };
  /** Opens the connection. There is none before the first call. */
  wake: () => void;
  /** Sends a question. Returns whether it was sent. */
  ask: (words: string) => boolean;
  stop: () => void;
  confirm: (call: ToolCall) => void;
  deny: (call: ToolCall, reason: string) => void;
  /** Reports that the outcome of a call is unknown. */
  settle: (call: ToolCall) => void;
  undo: (call: ToolCall) => Promise<void>;
  canUndo: (call: ToolCall) => boolean;
  clear: () => void;
  dismiss: () => void;
}

const AssistantContext = createContext<Assistant | null>(null);

/** Return the conversation with the assistant. Throws outside its provider, which is a programming error. */
export function useAssistant(): Assistant {
  const assistant = useContext(AssistantContext);
  if (!assistant) throw new Error('No AssistantProvider around this');
  return assistant;
}

interface ProviderProps {
  productId: number | null;
  /** Tools available on every page. */
  everywhere: ConsoleTools;
  children: ReactNode;
}

/** Return this tab's conversation id, which survives a reload. */
function chatId(): string {
  const stored = sessionStorage.getItem(CHAT_KEY);
  if (stored !== null) return stored;
  const newId = crypto.randomUUID();
  sessionStorage.setItem(CHAT_KEY, newId);
  return newId;
}

export function AssistantProvider({ productId, everywhere, children }: ProviderProps) {
  const [flow, dispatch] = useReducer(reduceConversation, EMPTY_CONVERSATION);
  const [awake, setAwake] = useState(false);
  const [id] = useState(chatId);
  // Refs, because callbacks need the latest values after the render.
  const tools = useRef(everywhere);
  useEffect(() => {
    tools.current = everywhere;
  });
  const calls = useRef<CallRecords>({ undos: new Map(), results: new Map(), started: new Set() });
  const sentPage = useRef({ page: '', place: '' });

  const asksFirst = useCallback((call: ToolCall) => {
    const { tool } = findHandler(call, tools.current, placeOf(call));
    return call.confirm !== false || tool === undefined || tool.confirm === true;
  }, []);
  const path = awake && productId !== null ? `/v1/llm/ws/master_chat/?chat_id=${id}&product_id=${productId}` : null;
  const socket = useAssistantSocket({ path, calls, sentPage, asksFirst, dispatch });
  const { state, send } = socket;
  const answer = useCallback(
    async (call: ToolCall, result: unknown) => {
      calls.current.results.set(call.call_id, result);
      const now = await takeStableSnapshot(tools.current);
      const changed = now !== sentPage.current.page;
      sentPage.current = { page: now, place: window.location.search };
      const frame = { tool_call: { call_id: call.call_id, call_result: result } };
      if (send(changed ? { ...frame, page: JSON.parse(now) } : frame)) dispatch({ kind: 'answered', asksFirst });
    },
    [send, asksFirst],
  );

  useCallRunner({ running: state === 'connected' ? currentCall(flow) : undefined, calls, tools, dispatch, answer });
  const wake = useCallback(() => setAwake(true), []);
  const assistant: Assistant = {
    flow,
    socket,
    mayAsk: mayAsk(flow) && state === 'connected',
    hasNoProduct: productId === null,
    placeOf: (call) => linkTo(placeOf(call)),
    toolOf: (call) => findHandler(call, everywhere, placeOf(call)),
    wake,
    ask: (words) => {
      const page = takePageSnapshot(everywhere);
      if (!send({ content: words, ...page })) return false;
      sentPage.current = { page: JSON.stringify(page), place: window.location.search };
      dispatch({ kind: 'asked', text: words });
      return true;
    },
    stop: () => void send({ stop: true }),
    confirm: (call) => {
      dispatch({ kind: 'failed', error: null });
      if (!isReservedByServer(call)) dispatch({ kind: 'call', callId: call.call_id, status: 'running' });
      else if (send({ confirm: call.call_id })) dispatch({ kind: 'call', callId: call.call_id, status: 'confirming' });
    },
    deny: (call, reason) => {
      const reasonText = reason.trim() === '' ? t('The operator said no.') : reason.trim();
      dispatch({ kind: 'call', callId: call.call_id, status: 'denied', note: t('Action denied by user.') });
      void answer(call, { status: 'rejected', reason: reasonText });
    },
    settle: (call) => {
      dispatch({ kind: 'call', callId: call.call_id, status: 'failed' });
      void answer(call, { status: 'unknown', reason: t('The connection was lost while it was running.') });
    },
    canUndo: (call) => calls.current.undos.has(call.call_id),
    undo: (call) => undoCall(call, calls.current, dispatch),
    clear: () => {
      if (send({ clear: true })) {
        calls.current.undos.clear();
        dispatch({ kind: 'cleared' });
      }
    },
    dismiss: () => {
      socket.dismiss();
      dispatch({ kind: 'failed', error: null });
    },
  };
  return <AssistantContext value={assistant}>{children}</AssistantContext>;
}

interface AssistantSocketOptions {
  /** Null: no connection yet. */
  readonly path: string | null;
  readonly calls: RefObject<CallRecords>;
  readonly sentPage: RefObject<{ readonly place: string }>;
  readonly asksFirst: (call: ToolCall) => boolean;
  readonly dispatch: (event: ConversationEvent) => void;
}

/** Open the socket and pass on what it receives. */
function useAssistantSocket({ path, calls, sentPage, asksFirst, dispatch }: AssistantSocketOptions): ChatSocket {
  const socket = useChatSocket(
    path,
    {
      onFrame: (frame) => {
        const one = chunk.parse(frame);
        rememberPlace(one.content.tool_calls, sentPage.current.place);
        if (one.confirmed !== undefined) dispatch({ kind: 'call', callId: one.confirmed, status: 'running' });
        else dispatch({ kind: 'heard', chunk: one, asksFirst });
      },
      onUnreadable: () => dispatch({ kind: 'disconnected' }),
      onReconnected: () => dispatch({ kind: 'reconnected', undoable: new Set(calls.current.undos.keys()) }),
    },
    useMemo(
      () => ({ connect: t('Failed to connect to Master LLM'), send: t('Failed to send message to Master LLM') }),
      [],
    ),
  );
  const { state } = socket;
  useEffect(() => {
    if (state === 'disconnected') dispatch({ kind: 'disconnected' });
  }, [state, dispatch]);
  return socket;
}

/** What this tab knows of the calls, by their id. */
interface CallRecords {
  readonly undos: Map<string, Undo>;
  readonly results: Map<string, unknown>;
  readonly started: Set<string>;
}

interface CallRunnerOptions {
  /** The call to run or to answer; undefined while there is none or no connection. */
  readonly running: CallEntry | undefined;
  readonly calls: RefObject<CallRecords>;
  readonly tools: RefObject<ConsoleTools>;
  readonly dispatch: (event: ConversationEvent) => void;
  readonly answer: (call: ToolCall, result: unknown) => Promise<void>;
}

/** Run the current call once and send its result. */
function useCallRunner({ running, calls, tools, dispatch, answer }: CallRunnerOptions): void {
  useEffect(() => {
    if (running === undefined) return;
    const { call } = running;
    const { undos, results, started } = calls.current;
    // Answered before the connection broke; only sending the result is left.
    if (results.has(call.call_id)) {
      const result = results.get(call.call_id);
      const status = rejection.safeParse(result).success ? 'denied' : 'done';
      dispatch({ kind: 'call', callId: call.call_id, status });
      void answer(call, result);
      return;
    }
    if (running.status !== 'running' || started.has(call.call_id)) return;
    started.add(call.call_id);
    void (async () => {
      const outcome = await runHandler(findHandler(call, tools.current, placeOf(call)).handler, call.arguments);
      if (outcome.ok) {
        if (outcome.undo) undos.set(call.call_id, outcome.undo);
        dispatch({ kind: 'call', callId: call.call_id, status: 'done' });
        await answer(call, outcome.result);
        return;
      }
      const { reason } = outcome;
      const note = `${FAILURE} ${t('{{tool}} failed: {{reason}}', { tool: fieldLabel(call.name), reason })}`;
      dispatch({ kind: 'call', callId: call.call_id, status: 'failed', note });
      await answer(call, { status: 'failed', reason });
    })();
  }, [running, calls, tools, dispatch, answer]);
}

async function undoCall(
  { call_id: callId }: ToolCall,
  { undos }: CallRecords,
  dispatch: (event: ConversationEvent) => void,
): Promise<void> {
  const undo = undos.get(callId);
  if (!undo) return;
  try {
    const unchanged = await undo.unchanged();
    if (unchanged) await undo.run();
    undos.delete(callId);
    if (unchanged) dispatch({ kind: 'call', callId, status: 'undone' });
    else dispatch({ kind: 'failed', error: t('It cannot be undone because it was changed since.') });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    dispatch({ kind: 'failed', error: t('Could not undo it: {{reason}}', { reason }) });
  }
}
