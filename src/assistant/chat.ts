/** The assistant's socket: receives questions and tool results, sends answers and proposals. One question at a time. */
import type { WebSocket } from 'ws';
import type { ModelMessage } from '../llm/wire/message.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntries, recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Caller, FindCaller } from '../platform/http/caller.ts';
import { countSocket, heartbeatSocket, questionSemaphore } from '../platform/http/heartbeat.ts';
import { parseStrict } from '../platform/http/json.ts';
import { endWhenRevoked, subscribeToRightsChanges } from '../platform/http/revocation.ts';
import { type Route, socketRoute } from '../platform/http/routes.ts';
import { ids } from '../platform/ids.ts';
import { Refusal } from '../platform/refuse.ts';
import { violationsOf } from '../platform/validationMessages.ts';
import { readProduct } from '../products/product.ts';
import { type Chunk, type Frame, frame, masterChat, type PageSnapshot, PROPOSAL_MS, rejection } from './contract.ts';
import { historyMessage, userMessage } from './prompt.ts';
import { advance, type Proposal, type Question, question, withResults } from './question.ts';
import {
  type Chat,
  deleteQuestion,
  insertQuestion,
  lockQuestion,
  markConfirmed,
  type NewCall,
  type StoredCall,
  storeResult,
} from './store.ts';

/** RFC 6455 close code 1008 (policy violation): the operator is signed out, or too many frames arrived at once. */
const CLOSE_POLICY = 1008;
/** Limit of queued frames. No panel sends that many. */
const MAX_QUEUED_FRAMES = 50;
/** Limit of conversation history sent to the model, in characters. Older questions are dropped. */
const MAX_HISTORY = 60_000;
export function masterChatRoute(context: AppContext, callerOf: FindCaller): Route {
  return socketRoute(masterChat, (socket, { caller, query, raw, requestId }) => {
    // Without a given chat id the conversation cannot be resumed.
    const chat = { operatorId: caller.id, productId: query.product_id, chatId: query.chat_id ?? ids.next() };
    new Conversation({ context, socket, chat, requestId, signedIn: () => callerOf(raw.cookies) }).start();
  });
}

/** A request that cannot be fulfilled, with a message for the operator. */
class ChatError extends Error {}
/** The operator is no longer signed in. */
class SignedOut extends Error {}

/** Return whether an error leaves access unclear, such as an unavailable database. The conversation then goes on. */
const isUnrelatedError = (error: unknown): boolean => !(error instanceof SignedOut || error instanceof ChatError);

/** A socket that was opened, and what is known about it. */
interface OpenedChat {
  readonly context: AppContext;
  readonly socket: WebSocket;
  readonly chat: Chat;
  readonly requestId: string;
  readonly signedIn: () => Promise<Caller | null>;
}

/** The conversation on one socket. */
class Conversation {
  private readonly opened: OpenedChat;
  private history: ModelMessage[] = [];
  private answering: AbortController | null = null;
  private proposed = false;
  private waiting = 0;
  private lastTask = Promise.resolve();

  constructor(opened: OpenedChat) {
    this.opened = opened;
  }

  start(): void {
    const { context, socket } = this.opened;
    countSocket(context.metrics.sockets, 'assistant', socket);
    heartbeatSocket(socket);
    socket.on('close', () => this.answering?.abort());
    this.queue(() => this.showPending());
    socket.on('message', (data) => {
      const message = readFrame(String(data));
      if ('fault' in message) return this.fail(`Not understood: ${message.fault}`);
      if ('stop' in message) return this.answering?.abort();
      this.queue(() => this.handleFrame(message));
    });
  }

  private send(fields: Partial<Chunk['content']>, rest: Partial<Omit<Chunk, 'content'>> = {}): void {
    const { socket } = this.opened;
    const content = { message: '', message_type: 'full' as const, tool_calls: [], ...fields };
    const chunk: Chunk = { content, is_finished: false, is_error: false, ...rest };
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(chunk));
  }

  private fail(message: string): void {
    this.send({ message }, { is_error: true, is_finished: !this.answering && !this.proposed });
  }

  private handleError(error: unknown): void {
    const { context, socket, requestId } = this.opened;
    // Recording was refused because the operator's access ended in the meantime.
    if (error instanceof SignedOut || error instanceof Refusal) return socket.close(CLOSE_POLICY, 'Signed out');
    if (error instanceof ChatError) return this.fail(error.message);
    context.log.error({ error: String(error), requestId }, 'assistant failed');
    this.fail('Something went wrong on our side');
  }

  /** Run tasks one after another, so that results that arrive together are processed in order. */
  private queue(work: () => Promise<void>): void {
    if (this.waiting >= MAX_QUEUED_FRAMES) return this.opened.socket.close(CLOSE_POLICY, 'Too many messages at once');
    this.waiting += 1;
    this.lastTask = this.lastTask
      .then(work)
      .catch((error: unknown) => this.handleError(error))
      .finally(() => {
        this.waiting -= 1;
      });
  }

  private async handleFrame(message: Exclude<Frame, { stop: true }>): Promise<void> {
    if (this.opened.socket.readyState !== this.opened.socket.OPEN) return;
    if ('clear' in message) return this.clear();
    if ('confirm' in message) return this.confirm(message.confirm);
    if ('tool_call' in message)
      return this.takeResult(message.tool_call.call_id, message.tool_call.call_result, message.page);
    if (this.answering) throw new ChatError('One question at a time: wait for the answer, or stop it');
    if (this.proposed) throw new ChatError('Confirm or deny what was proposed first');
    const { content: words, ...page } = message;
    const asked = { role: 'user' as const, content: userMessage(page, words) };
    const messages = [...this.history, asked];
    this.startAnswer({ words, page, messages, from: this.history.length, rounds: 0, tokens: 0, refused: [] });
  }

  /** Start an answer outside the queue, so that it can be stopped. */
  private startAnswer(asked: Question): void {
    const controller = new AbortController();
    this.answering = controller;
    void this.answer(asked, controller.signal)
      .finally(() => {
        this.answering = null;
      })
      .then(
        (onDone) => onDone(),
        (error: unknown) => this.handleError(error),
      );
  }

  /** Generate an answer. Returns a function that sends its final frame. */
  private async answer(asked: Question, signal: AbortSignal): Promise<() => void> {
    const { context, socket } = this.opened;
    const { product, caller } = await questionSemaphore(() => this.authorizeCaller());
    let text = '';
    const isAllowed = () => this.authorizeCaller().then(() => true, isUnrelatedError);
    const stopWatching = endWhenRevoked(subscribeToRightsChanges(context.notifications), isAllowed, () => {
      this.answering?.abort();
      socket.close(CLOSE_POLICY, 'Signed out');
    });
    const step = await advance(context, asked, {
      product,
      operator: caller.login,
      signal,
      onText: (piece) => {
        text += piece;
        this.send({ message: piece, message_type: 'delta' });
      },
    }).finally(stopWatching);
    // Check access again, so that no proposal reaches an operator who has lost it.
    await questionSemaphore(() => this.authorizeCaller());
    if (step.kind === 'failed' && signal.aborted) {
      this.remember(asked, text === '' ? [] : [{ role: 'assistant', content: text }]);
      return () => this.send({ message: text }, { is_finished: true });
    }
    if (step.kind === 'failed') throw new ChatError(step.reason);
    if (step.kind === 'answered') {
      this.remember(step.question, step.question.messages.slice(step.question.from + 1));
      return () => this.send({ message: step.text }, { is_finished: true });
    }
    const calls = await this.propose(caller, step.question, step.proposals);
    this.proposed = true;
    return () => this.send({ message: step.text, tool_calls: calls.map(toWireCall) });
  }

  /** Return the operator and the product, if the operator is still signed in and may access the product. */
  private async authorizeCaller() {
    const { context, chat, signedIn } = this.opened;
    const caller = await signedIn();
    if (!caller || caller.id !== chat.operatorId) throw new SignedOut();
    const product = await readProduct(context.reader, chat.productId);
    if (!product || !(caller.companies === null || caller.companies.includes(product.company_id)))
      throw new ChatError('There is no such product');
    return { product, caller };
  }

  private async propose(caller: Caller, state: Question, proposals: readonly Proposal[]): Promise<StoredCall[]> {
    const calls = proposals.map(
      ({ id, definition, args }): NewCall => ({
        call_id: ids.next(),
        model_call_id: id,
        tool: definition.name,
        arguments: args,
        confirm: definition.confirm,
      }),
    );
    await this.opened.context.transact(async (tx) => {
      await insertQuestion(tx, { chat: this.opened.chat, state, calls });
      const auditEntries = calls
        .filter((one) => one.confirm)
        .map((one) => this.auditEntry({ caller, action: 'proposed', call: one }));
      if (auditEntries.length > 0) await recordAuditEntries(tx, auditEntries);
    });
    return calls.map((one, index) => ({ ...one, index, confirmed: false, answered: false, result: null }));
  }

  private auditEntry({
    caller,
    action,
    call,
    reason,
  }: {
    caller: Caller;
    action: 'proposed' | 'confirmed' | 'denied';
    call: NewCall;
    reason?: string | undefined;
  }) {
    const { chat, requestId } = this.opened;
    const { call_id, tool, arguments: args } = call;
    const after = { call_id, tool, arguments: args, ...(reason === undefined ? {} : { reason }) };
    return { caller, action, noun: 'assistant_call', rowId: null, productId: chat.productId, after, requestId };
  }

  /**
   * Return the chat's question and the call with this id. Throws `ChatError` unless that call is the next one to be
   * answered.
   */
  private async requireNextCall(
    tx: Tx,
    callId: string,
  ): Promise<{ state: Question; calls: readonly StoredCall[]; call: StoredCall }> {
    const stored = await lockQuestion(tx, this.opened.chat, PROPOSAL_MS);
    if (!stored) this.proposed = false;
    const call = stored?.calls.find((one) => one.call_id === callId);
    if (!stored || !call) throw new ChatError('This call is unknown or has expired');
    if (call.answered) throw new ChatError('This call was already answered');
    if (stored.calls.find((one) => !one.answered) !== call) throw new ChatError('Answer the calls in order');
    return { state: question.parse(stored.state), calls: stored.calls, call };
  }

  private async confirm(callId: string): Promise<void> {
    const { caller } = await questionSemaphore(() => this.authorizeCaller());
    await this.opened.context.transact(async (tx) => {
      const { call } = await this.requireNextCall(tx, callId);
      if (call.confirmed) throw new ChatError('This was already confirmed');
      await markConfirmed(tx, callId);
      await recordAuditEntry(tx, this.auditEntry({ caller, action: 'confirmed', call }));
    });
    this.send({}, { confirmed: callId });
  }

  private async takeResult(callId: string, result: unknown, page: PageSnapshot | undefined): Promise<void> {
    const { caller } = await questionSemaphore(() => this.authorizeCaller());
    const denied = rejection.safeParse(result);
    const next = await this.opened.context.transact(async (tx) => {
      const { state, calls, call } = await this.requireNextCall(tx, callId);
      if (call.confirm && denied.success)
        await recordAuditEntry(tx, this.auditEntry({ caller, action: 'denied', call, reason: denied.data.reason }));
      else if (call.confirm && !call.confirmed)
        await recordAuditEntry(tx, this.auditEntry({ caller, action: 'confirmed', call }));
      const fields = page === undefined ? result : { result, page_now: pageOf(page) };
      const now = page === undefined ? state : { ...state, page };
      const results = calls.map((one) => (one === call ? { ...one, answered: true, result: fields } : one));
      if (results.every((one) => one.answered)) {
        await deleteQuestion(tx, this.opened.chat);
        const all = results.map(({ model_call_id: id, tool, result: value }) => ({ id, tool, result: value }));
        return withResults(now, all);
      }
      await storeResult(tx, { callId, result: fields, state: now });
      return null;
    });
    if (next === null) return;
    this.proposed = false;
    this.startAnswer(next);
  }

  /** Send the proposals that still wait for an answer when a chat is resumed. The texts around them are lost. */
  private async showPending(): Promise<void> {
    const stored = await this.opened.context.transact((tx) => lockQuestion(tx, this.opened.chat, PROPOSAL_MS));
    const calls = stored?.calls.filter((one) => !one.answered) ?? [];
    if (calls.length === 0) return;
    this.proposed = true;
    this.send({ tool_calls: calls.map(toWireCall) });
  }

  private async clear(): Promise<void> {
    const { caller } = await questionSemaphore(() => this.authorizeCaller());
    await this.opened.context.transact(async (tx) => {
      const stored = await lockQuestion(tx, this.opened.chat, PROPOSAL_MS);
      const open = stored?.calls.filter((one) => one.confirm && !one.answered && !one.confirmed) ?? [];
      if (open.length > 0)
        await recordAuditEntries(
          tx,
          open.map((one) => this.auditEntry({ caller, action: 'denied', call: one, reason: 'The chat was cleared' })),
        );
      await deleteQuestion(tx, this.opened.chat);
    });
    this.answering?.abort();
    this.proposed = false;
    this.history = [];
    this.send({}, { is_finished: true });
  }

  private remember(asked: Question, followed: readonly ModelMessage[]): void {
    this.history = truncateHistory([
      ...this.history,
      { role: 'user', content: historyMessage(asked.words) },
      ...followed,
    ]);
  }
}

const toWireCall = ({ tool, arguments: args, call_id, index, confirm, confirmed }: StoredCall) => ({
  name: tool,
  arguments: args,
  call_id,
  index,
  confirm,
  ...(confirmed ? { confirmed } : {}),
});

const pageOf = ({ page_description, page_data }: PageSnapshot) => ({ page_description, page_data });

/** Drop whole questions from the history, oldest first. */
function truncateHistory(messages: ModelMessage[]): ModelMessage[] {
  let remaining = messages;
  while (JSON.stringify(remaining).length > MAX_HISTORY) {
    const next = remaining.findIndex((one, index) => index > 0 && one.role === 'user');
    if (next < 0) return [];
    remaining = remaining.slice(next);
  }
  return remaining;
}

function readFrame(text: string): Frame | { fault: string } {
  let parsed: unknown;
  try {
    parsed = parseStrict(text);
  } catch {
    return { fault: 'unreadable, or with a key or character that is not allowed' };
  }
  const result = frame.safeParse(parsed);
  if (result.success) return result.data;
  const [first] = violationsOf(result.error);
  return { fault: `${first?.path.join('.') || 'message'}: ${first?.message ?? 'unreadable'}` };
}
