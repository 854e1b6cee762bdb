/** The playground: a conversation with a model on a socket. Its history lives as long as the socket. */
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { costOfRun } from '../llm/runs.ts';
import type { Ground } from '../platform/ground.ts';
import type { Caller, CallerOf } from '../platform/http/caller.ts';
import { parseStrict } from '../platform/http/json.ts';
import { countSocket, keepPulse, preparing } from '../platform/http/pulse.ts';
import { endWhenRevoked, rightsChanges } from '../platform/http/revocation.ts';
import { type Route, socketRoute } from '../platform/http/routes.ts';
import { violationsOf } from '../platform/wording.ts';
import { readProduct } from '../products/product.ts';
import { preparedMessageOf } from '../prompts/known.ts';
import {
  EmptyVariable,
  promptOf,
  renderMessage,
  renderPrompt,
  TemplateError,
  type TemplateValues,
} from '../prompts/prompt.ts';
import { systemText } from './compose.ts';
import { type Chunk, type Frame, frame, MOST_SAID, playground } from './playgroundContract.ts';
import { lookUpFor } from './rag.ts';
import { speak, UnknownModel } from './speak.ts';
import { valuesFor } from './values.ts';

type Said = { readonly role: 'user' | 'assistant'; readonly content: string };
type Asked = Exclude<Frame, { stop: true }>;

/** Characters of earlier talk that the model is shown again. */
const MOST_CHARACTERS = 200_000;

/** RFC 6455: 1008, a policy was broken; here: nobody is signed in any more. */
const CLOSE_SIGNED_OUT = 1008;

export function playgroundRoute(ground: Ground, callerOf: CallerOf): Route {
  return socketRoute(playground, (socket, { caller, query, raw }) => {
    converse(ground, socket, caller, query.product_id ?? null, () => callerOf(raw.cookies));
  });
}

/** What cannot be done, in words for the one who asked. */
class Refused extends Error {}

function converse(
  ground: Ground,
  socket: WebSocket,
  opener: Caller,
  productId: number | null,
  signedIn: () => Promise<Caller | null>,
): void {
  const history: Said[] = [];
  let answering: AbortController | null = null;
  const send = (chunk: Chunk) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(chunk));
  };
  // An answer that is under way goes on: only its own last chunk finishes it.
  const fail = (reason: string) => send({ content: reason, is_error: true, is_finished: answering === null });
  countSocket(ground.metrics.sockets, 'playground', socket);
  keepPulse(socket);
  socket.on('close', () => answering?.abort());
  socket.on('message', (data) => {
    const said = frame.safeParse(parsed(String(data)));
    if (!said.success) {
      return fail(notUnderstood(said.error));
    }
    if ('stop' in said.data) return answering?.abort();
    if (answering) return fail('One answer at a time: wait for it, or stop it');
    const controller = new AbortController();
    answering = controller;
    void answer(said.data, controller.signal)
      .catch((error: unknown) => {
        answering = null;
        if (error instanceof Refused) return fail(error.message);
        ground.log.error({ error: String(error) }, 'playground failed');
        fail('Something went wrong on our side');
      })
      .finally(() => {
        answering = null;
      });
  });

  async function answer(asked: Asked, signal: AbortSignal): Promise<void> {
    const ready = await preparing(() => prepare(asked));
    if (ready === null) return revoked();
    const { product, prompt, system, opening, lookUp } = ready;
    if (asked.history !== null) history.splice(0, history.length, ...asked.history);
    if (opening !== null && history.length === 0) history.push({ role: 'assistant', content: opening });
    const messages = [...history, { role: 'user' as const, content: asked.content }];
    let text = '';
    // The socket may name no product: then the server does not close it for the product's sake.
    const isAllowed = async (): Promise<boolean> => reaches(await signedIn(), product);
    const stopWatching = endWhenRevoked(rightsChanges(ground.live), isAllowed, revoked);
    const pieces = gathering((piece) => send({ content: piece, is_error: false, is_finished: false }));
    const { completion, vendor, model, runId } = await speak(ground, {
      product,
      purpose: 'playground',
      name: prompt?.name ?? 'Playground',
      metadata: prompt ? { prompt_id: prompt.id, prompt_version: prompt.version, operator: opener.login } : {},
      system,
      messages,
      vendor: null,
      model: asked.model_name,
      temperature: asked.temperature,
      lookUp,
      signal,
      onText: (piece) => {
        text += piece;
        pieces.add(piece);
      },
    })
      .catch((error: unknown) => {
        throw error instanceof UnknownModel ? new Refused(error.message) : error;
      })
      .finally(stopWatching);
    if (!(await isAllowed())) return revoked();
    pieces.flush();
    const stopped = signal.aborted;
    if (completion.kind === 'failed' && !stopped) throw new Refused(completion.reason);
    history.push({ role: 'user', content: asked.content });
    if (text !== '') history.push({ role: 'assistant', content: text });
    forgetOldest(history);
    const { inputTokens: input, outputTokens: output, ms } = completion;
    const cost = runId === null ? null : await costOfRun(ground.reader, runId);
    const usage = { input, output, cost, ms, vendor, model };
    send({ content: '', is_error: false, is_finished: true, usage, ...(runId === null ? {} : { run_id: runId }) });
  }

  function revoked(): void {
    answering?.abort();
    socket.close(CLOSE_SIGNED_OUT, 'Signed out');
  }

  function reaches(caller: Caller | null, product: { readonly company_id: number }): boolean {
    return caller?.id === opener.id && (caller.companies === null || caller.companies.includes(product.company_id));
  }

  /** Everything that is read before a model is asked; null: nobody is signed in any more. */
  async function prepare(asked: Asked) {
    // Who he is and what he reaches may have changed since the socket was opened.
    const caller = await signedIn();
    if (caller?.id !== opener.id) return null;
    const prompt = asked.prompt_id === null ? undefined : await promptOf(ground.reader, asked.prompt_id);
    const product = await readProduct(ground.reader, productId ?? prompt?.product_id ?? 0);
    const isWithin = product !== undefined && reaches(caller, product);
    const isUnknown = asked.prompt_id !== null && (!prompt || !isWithin || prompt.product_id !== product.id);
    if (isUnknown) throw new Refused(`Unknown prompt_id ${asked.prompt_id}: there is no such prompt here`);
    if (!product || !isWithin) throw new Refused('Choose a product, or a prompt of one');
    const { system, opening, values } = await texts(product, prompt?.text ?? '', asked);
    const lookUp = await lookUpFor(ground.reader, product.id, (text) => renderPrompt(ground, product, text, values));
    return { product, prompt, system, opening, lookUp };
  }

  async function texts(
    product: NonNullable<Awaited<ReturnType<typeof readProduct>>>,
    stored: string,
    asked: Asked,
  ): Promise<{ system: string; opening: string | null; values: TemplateValues }> {
    try {
      const values = await valuesFor(ground.reader, product, asked.lead_id);
      const system = systemText(await renderPrompt(ground, product, asked.system ?? stored, values), values);
      if (asked.prepared_message_id === null) return { system, opening: null, values };
      const prepared = await preparedMessageOf(ground.reader, asked.prepared_message_id, product.id);
      if (!prepared) throw new Refused('There is no such prepared message');
      const opening = await renderMessage(ground, product, prepared.message, values);
      return { system, opening, values };
    } catch (error) {
      if (error instanceof EmptyVariable) throw new Refused(`The variable ${error.variable} is empty for this lead`);
      if (error instanceof TemplateError)
        throw new Refused(`The prompt cannot be rendered: ${error.message.slice(0, 300)}`);
      if (error instanceof Error && 'code' in error && error.code === 'not_found')
        throw new Refused('There is no such lead');
      throw error;
    }
  }
}

/** What is older is forgotten, whole messages. */
function forgetOldest(history: Said[]): void {
  history.splice(0, Math.max(0, history.length - MOST_SAID));
  let length = history.reduce((sum, one) => sum + one.content.length, 0);
  while (length > MOST_CHARACTERS) length -= history.shift()?.content.length ?? length;
}

/** `Not understood: temperature: Enter 2 or less` */
function notUnderstood(error: z.ZodError): string {
  const [first] = violationsOf(error);
  return `Not understood: ${first?.path.join('.') || 'message'}: ${first?.message ?? 'unreadable'}`;
}

/**
 * Puts together what comes within one turn of the event loop: a model that speaks slowly is passed on piece by piece, one
 * that is quicker than this process in as many pieces as it can send. [A thousand streams at once: a system call for each
 * piece was a third of all work.]
 */
function gathering(send: (text: string) => void): { add(piece: string): void; flush(): void } {
  let gathered = '';
  const flush = (): void => {
    if (gathered !== '') send(gathered);
    gathered = '';
  };
  return {
    add(piece) {
      if (gathered === '') setImmediate(flush);
      gathered += piece;
    },
    flush,
  };
}

function parsed(text: string): unknown {
  try {
    return parseStrict(text);
  } catch {
    return undefined;
  }
}
