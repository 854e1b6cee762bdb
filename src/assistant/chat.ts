/** The assistant on its socket: words and results in, answers and proposals out. One question at a time. */
import type { ModelMessage } from 'ai';
import type { WebSocket } from 'ws';
import { recordDeed, recordDeeds } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import type { Caller, CallerOf } from '../platform/http/caller.ts';
import { parseStrict } from '../platform/http/json.ts';
import { countSocket, keepPulse, preparing } from '../platform/http/pulse.ts';
import { endWhenRevoked, rightsChanges } from '../platform/http/revocation.ts';
import { type Route, socketRoute } from '../platform/http/routes.ts';
import { ids } from '../platform/ids.ts';
import { Refusal } from '../platform/refuse.ts';
import { violationsOf } from '../platform/wording.ts';
import { readProduct } from '../products/product.ts';
import { type Chunk, type Frame, frame, masterChat, PROPOSAL_MS, rejection, type TellingPage } from './contract.ts';
import { questionOn, remembered } from './framing.ts';
import { advance, type Proposal, type Question, question, withResults } from './question.ts';
import {
  type Chat,
  dropQuestion,
  holdQuestion,
  insertQuestion,
  markConfirmed,
  type NewCall,
  type StoredCall,
  storeResult,
} from './store.ts';

/** RFC 6455: 1008, a policy was broken; here: nobody is signed in any more, or too much came at once. */
const CLOSE_POLICY = 1008;
/** Frames that wait to be read: no panel sends so many. */
const MOST_WAITING = 50;
/** Characters of earlier talk that the model is told again; what is older is forgotten. */
const MOST_REMEMBERED = 60_000;
export function masterChatRoute(ground: Ground, callerOf: CallerOf): Route {
  return socketRoute(masterChat, (socket, { caller, query, raw, requestId }) => {
    // Without a name nobody can come back to it.
    const chat = { operatorId: caller.id, productId: query.product_id, chatId: query.chat_id ?? ids.next() };
    converse({ ground, socket, chat, requestId, signedIn: () => callerOf(raw.cookies) });
  });
}

/** What cannot be done, in words for the one who asked. */
class Refused extends Error {}
/** Nobody is signed in any more. */
class SignedOut extends Error {}

/** A database that does not answer is no reason to end anything. */
const isStillUnknown = (error: unknown): boolean => !(error instanceof SignedOut || error instanceof Refused);

interface Conversation {
  readonly ground: Ground;
  readonly socket: WebSocket;
  readonly chat: Chat;
  readonly requestId: string;
  readonly signedIn: () => Promise<Caller | null>;
}

function converse({ ground, socket, chat, requestId, signedIn }: Conversation): void {
  let history: ModelMessage[] = [];
  let answering: AbortController | null = null;
  let proposed = false;
  let waiting = 0;
  let tail = Promise.resolve();

  const send = (told: Partial<Chunk['content']>, rest: Partial<Omit<Chunk, 'content'>> = {}) => {
    const content = { message: '', message_type: 'full' as const, tool_calls: [], ...told };
    const chunk: Chunk = { content, is_finished: false, is_error: false, ...rest };
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(chunk));
  };
  const fail = (message: string) => send({ message }, { is_error: true, is_finished: !answering && !proposed });
  const failed = (error: unknown) => {
    // What was to be recorded was refused: his rights ended while it was done.
    if (error instanceof SignedOut || error instanceof Refusal) return socket.close(CLOSE_POLICY, 'Signed out');
    if (error instanceof Refused) return fail(error.message);
    ground.log.error({ error: String(error), requestId }, 'assistant failed');
    fail('Something went wrong on our side');
  };
  /** One after the other, so that results that come together are taken together. */
  const queue = (work: () => Promise<void>) => {
    if (waiting >= MOST_WAITING) return socket.close(CLOSE_POLICY, 'Too much at once');
    waiting += 1;
    tail = tail
      .then(work)
      .catch(failed)
      .finally(() => {
        waiting -= 1;
      });
  };

  countSocket(ground.metrics.sockets, 'assistant', socket);
  keepPulse(socket);
  socket.on('close', () => answering?.abort());
  queue(showPending);
  socket.on('message', (data) => {
    const said = read(String(data));
    if ('fault' in said) return fail(`Not understood: ${said.fault}`);
    if ('stop' in said) return answering?.abort();
    queue(() => hear(said));
  });

  async function hear(said: Exclude<Frame, { stop: true }>): Promise<void> {
    if (socket.readyState !== socket.OPEN) return;
    if ('clear' in said) return clear();
    if ('confirm' in said) return confirm(said.confirm);
    if ('tool_call' in said) return take(said.tool_call.call_id, said.tool_call.call_result, said.page);
    if (answering) throw new Refused('One question at a time: wait for the answer, or stop it');
    if (proposed) throw new Refused('Confirm or deny what was proposed first');
    const { content: words, ...page } = said;
    const asked = { role: 'user' as const, content: questionOn(page, words) };
    const messages = [...history, asked];
    go({ words, page, messages, from: history.length, rounds: 0, tokens: 0, refused: [] });
  }

  /** Runs beside the queue: it may be stopped. */
  function go(asked: Question): void {
    const controller = new AbortController();
    answering = controller;
    void answer(asked, controller.signal)
      .finally(() => {
        answering = null;
      })
      .then((tell) => tell(), failed);
  }

  /** Gives what is told when the answer is over. */
  async function answer(asked: Question, signal: AbortSignal): Promise<() => void> {
    const { product, caller } = await preparing(admitted);
    let text = '';
    const isAllowed = () => admitted().then(() => true, isStillUnknown);
    const stopWatching = endWhenRevoked(rightsChanges(ground.live), isAllowed, () => {
      answering?.abort();
      socket.close(CLOSE_POLICY, 'Signed out');
    });
    const step = await advance(ground, asked, {
      product,
      operator: caller.login,
      signal,
      onText: (piece) => {
        text += piece;
        send({ message: piece, message_type: 'delta' });
      },
    }).finally(stopWatching);
    // Nothing is proposed to somebody who may not do it any more.
    await preparing(admitted);
    if (step.kind === 'failed' && signal.aborted) {
      remember(asked, text === '' ? [] : [{ role: 'assistant', content: text }]);
      return () => send({ message: text }, { is_finished: true });
    }
    if (step.kind === 'failed') throw new Refused(step.reason);
    if (step.kind === 'answered') {
      remember(step.question, step.question.messages.slice(step.question.from + 1));
      return () => send({ message: step.text }, { is_finished: true });
    }
    const calls = await propose(caller, step.question, step.proposals);
    proposed = true;
    return () => send({ message: step.text, tool_calls: calls.map(asShown) });
  }

  /** The operator and the product, if both are still what they were. */
  async function admitted() {
    const caller = await signedIn();
    if (!caller || caller.id !== chat.operatorId) throw new SignedOut();
    const product = await readProduct(ground.reader, chat.productId);
    if (!product || !(caller.companies === null || caller.companies.includes(product.company_id)))
      throw new Refused('There is no such product');
    return { product, caller };
  }

  async function propose(caller: Caller, state: Question, proposals: readonly Proposal[]): Promise<StoredCall[]> {
    const calls = proposals.map(
      ({ id, offered, args }): NewCall => ({
        call_id: ids.next(),
        model_call_id: id,
        tool: offered.name,
        arguments: args,
        confirm: offered.confirm,
      }),
    );
    await ground.transact(async (tx) => {
      await insertQuestion(tx, chat, state, calls);
      const deeds = calls.filter((one) => one.confirm).map((one) => deed(caller, 'proposed', one));
      if (deeds.length > 0) await recordDeeds(tx, deeds);
    });
    return calls.map((one, index) => ({ ...one, index, confirmed: false, answered: false, result: null }));
  }

  function deed(caller: Caller, action: 'proposed' | 'confirmed' | 'denied', call: NewCall, reason?: string) {
    const { call_id, tool, arguments: args } = call;
    const after = { call_id, tool, arguments: args, ...(reason === undefined ? {} : { reason }) };
    return { caller, action, noun: 'assistant_call', rowId: null, productId: chat.productId, after, requestId };
  }

  /** The chat's question and the call of it whose turn it is. Throws `Refused` where that is another one, or none. */
  async function inTurn(
    tx: Tx,
    callId: string,
  ): Promise<{ state: Question; calls: readonly StoredCall[]; call: StoredCall }> {
    const held = await holdQuestion(tx, chat, PROPOSAL_MS);
    if (!held) proposed = false;
    const call = held?.calls.find((one) => one.call_id === callId);
    if (!held || !call) throw new Refused('This call is not known, or too old to be answered');
    if (call.answered) throw new Refused('This call was answered before');
    if (held.calls.find((one) => !one.answered) !== call) throw new Refused('The calls are answered in their order');
    return { state: question.parse(held.state), calls: held.calls, call };
  }

  async function confirm(callId: string): Promise<void> {
    const { caller } = await preparing(admitted);
    await ground.transact(async (tx) => {
      const { call } = await inTurn(tx, callId);
      if (call.confirmed) throw new Refused('This was confirmed before');
      await markConfirmed(tx, callId);
      await recordDeed(tx, deed(caller, 'confirmed', call));
    });
    send({}, { confirmed: callId });
  }

  async function take(callId: string, result: unknown, page: TellingPage | undefined): Promise<void> {
    const { caller } = await preparing(admitted);
    const denied = rejection.safeParse(result);
    const next = await ground.transact(async (tx) => {
      const { state, calls, call } = await inTurn(tx, callId);
      if (call.confirm && denied.success) await recordDeed(tx, deed(caller, 'denied', call, denied.data.reason));
      else if (call.confirm && !call.confirmed) await recordDeed(tx, deed(caller, 'confirmed', call));
      const told = page === undefined ? result : { result, page_now: shownOf(page) };
      const now = page === undefined ? state : { ...state, page };
      const results = calls.map((one) => (one === call ? { ...one, answered: true, result: told } : one));
      if (results.every((one) => one.answered)) {
        await dropQuestion(tx, chat);
        const all = results.map(({ model_call_id: id, tool, result: given }) => ({ id, tool, result: given }));
        return withResults(now, all);
      }
      await storeResult(tx, callId, told, now);
      return null;
    });
    if (next === null) return;
    proposed = false;
    go(next);
  }

  /** Whoever comes back finds what still waits for him; the words around it are gone. */
  async function showPending(): Promise<void> {
    const held = await ground.transact((tx) => holdQuestion(tx, chat, PROPOSAL_MS));
    const calls = held?.calls.filter((one) => !one.answered) ?? [];
    if (calls.length === 0) return;
    proposed = true;
    send({ tool_calls: calls.map(asShown) });
  }

  async function clear(): Promise<void> {
    const { caller } = await preparing(admitted);
    await ground.transact(async (tx) => {
      const held = await holdQuestion(tx, chat, PROPOSAL_MS);
      const open = held?.calls.filter((one) => one.confirm && !one.answered && !one.confirmed) ?? [];
      if (open.length > 0)
        await recordDeeds(
          tx,
          open.map((one) => deed(caller, 'denied', one, 'The chat was cleared')),
        );
      await dropQuestion(tx, chat);
    });
    answering?.abort();
    proposed = false;
    history = [];
    send({}, { is_finished: true });
  }

  function remember(asked: Question, followed: readonly ModelMessage[]): void {
    history = shortened([...history, { role: 'user', content: remembered(asked.words) }, ...followed]);
  }
}

const asShown = ({ tool, arguments: args, call_id, index, confirm, confirmed }: StoredCall) => ({
  name: tool,
  arguments: args,
  call_id,
  index,
  confirm,
  ...(confirmed ? { confirmed } : {}),
});

const shownOf = ({ page_description, page_data }: TellingPage) => ({ page_description, page_data });

/** Forgets whole questions, the oldest first. */
function shortened(messages: ModelMessage[]): ModelMessage[] {
  let kept = messages;
  while (JSON.stringify(kept).length > MOST_REMEMBERED) {
    const next = kept.findIndex((one, index) => index > 0 && one.role === 'user');
    if (next < 0) return [];
    kept = kept.slice(next);
  }
  return kept;
}

function read(text: string): Frame | { fault: string } {
  let parsed: unknown;
  try {
    parsed = parseStrict(text);
  } catch {
    return { fault: 'unreadable, or with a key or character that is not allowed' };
  }
  const said = frame.safeParse(parsed);
  if (said.success) return said.data;
  const [first] = violationsOf(said.error);
  return { fault: `${first?.path.join('.') || 'message'}: ${first?.message ?? 'unreadable'}` };
}
