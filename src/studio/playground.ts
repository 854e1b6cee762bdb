/** The playground: a conversation with a model over a WebSocket. The history lives as long as the socket. */
import type { WebSocket } from 'ws';
import type { z } from 'zod';
import { promptLookupOf } from '../conversations/promptLookup.ts';
import {
  findProductForPrompt,
  type ProductForPrompt,
  runPrompt,
  UnknownModelError,
} from '../conversations/runPrompt.ts';
import { buildSystemPrompt } from '../conversations/systemPrompt.ts';
import { loadTemplateValuesForLead } from '../conversations/templateValues.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Caller, FindCaller } from '../platform/http/caller.ts';
import { countSocket, heartbeatSocket, questionSemaphore } from '../platform/http/heartbeat.ts';
import { parseStrict } from '../platform/http/json.ts';
import { type Route, socketRoute } from '../platform/http/routes.ts';
import { violationsOf } from '../platform/validationMessages.ts';
import {
  EmptyVariable,
  readPrompt,
  renderMessage,
  renderPrompt,
  TemplateError,
  type TemplateValues,
} from '../prompts/prompt.ts';
import { describedPrompts, readPreparedMessage } from '../prompts/promptReferences.ts';
import {
  type Chunk,
  type ClientFrame,
  clientFrame,
  MAX_HISTORY_MESSAGES,
  openPlaygroundSocket,
} from './playgroundContract.ts';

type HistoryMessage = { readonly role: 'user' | 'assistant'; readonly content: string };
type QuestionFrame = Exclude<ClientFrame, { stop: true }>;

/** Most characters of earlier messages that are sent to the model again. */
const MAX_HISTORY_LENGTH = 200_000;

/** RFC 6455: 1008, policy violation; here: the session has ended or access was lost. */
const CLOSE_SIGNED_OUT = 1008;

export function playgroundRoute(context: AppContext, callerOf: FindCaller): Route {
  return socketRoute(openPlaygroundSocket, (socket, { caller, query, raw }) => {
    new Conversation({
      context,
      socket,
      opener: caller,
      productId: query.product_id ?? null,
      currentCaller: () => callerOf(raw.cookies),
    }).start();
  });
}

/** An error whose message is shown to the operator. */
class PlaygroundError extends Error {}

/** A socket that was opened, and what is known about it. */
interface OpenedPlayground {
  readonly context: AppContext;
  readonly socket: WebSocket;
  readonly opener: Caller;
  readonly productId: number | null;
  readonly currentCaller: () => Promise<Caller | null>;
}

/** The conversation on one socket. */
class Conversation {
  private readonly opened: OpenedPlayground;
  private readonly history: HistoryMessage[] = [];
  private activeAnswer: AbortController | null = null;

  constructor(opened: OpenedPlayground) {
    this.opened = opened;
  }

  start(): void {
    const { context, socket } = this.opened;
    countSocket(context.metrics.sockets, 'playground', socket);
    heartbeatSocket(socket);
    socket.on('close', () => this.activeAnswer?.abort());
    socket.on('message', (data) => {
      const parsedFrame = clientFrame.safeParse(parseJson(String(data)));
      if (!parsedFrame.success) return this.fail(describeInvalidFrame(parsedFrame.error));
      if ('stop' in parsedFrame.data) return this.activeAnswer?.abort();
      if (this.activeAnswer) return this.fail('One answer at a time: wait for it, or stop it');
      const controller = new AbortController();
      this.activeAnswer = controller;
      void this.answer(parsedFrame.data, controller.signal)
        .catch((error: unknown) => {
          this.activeAnswer = null;
          if (error instanceof PlaygroundError) return this.fail(error.message);
          context.log.error({ error: String(error) }, 'playground failed');
          this.fail('Something went wrong on our side');
        })
        .finally(() => {
          this.activeAnswer = null;
        });
    });
  }

  private send(chunk: Chunk): void {
    const { socket } = this.opened;
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(chunk));
  }

  /** Send an error. An answer in progress continues: only its own last chunk finishes it. */
  private fail(reason: string): void {
    this.send({ content: reason, is_error: true, is_finished: this.activeAnswer === null });
  }

  private async answer(question: QuestionFrame, signal: AbortSignal): Promise<void> {
    const { context, opener } = this.opened;
    const preparedQuestion = await questionSemaphore(() => this.prepare(question));
    if (preparedQuestion === null) return this.closeRevoked();
    const { product, prompt, system, opening, lookup } = preparedQuestion;
    if (question.history !== null) this.history.splice(0, this.history.length, ...question.history);
    if (opening !== null && this.history.length === 0) this.history.push({ role: 'assistant', content: opening });
    const messages = [...this.history, { role: 'user' as const, content: question.content }];
    let text = '';
    const batcher = batchChunks((piece) => this.send({ content: piece, is_error: false, is_finished: false }));
    const { completion, vendor, model, runId, cost } = await runPrompt(context, {
      product,
      purpose: 'playground',
      name: prompt?.name ?? 'Playground',
      metadata: prompt ? { prompt_id: prompt.id, prompt_version: prompt.version, operator: opener.login } : {},
      system,
      messages,
      model: question.model_name,
      temperature: question.temperature,
      lookup,
      credentials: product.credentials,
      signal,
      onText: (piece) => {
        text += piece;
        batcher.add(piece);
      },
    }).catch((error: unknown) => {
      throw error instanceof UnknownModelError ? new PlaygroundError(error.message) : error;
    });
    if (!this.canAccess(await this.opened.currentCaller(), product)) return this.closeRevoked();
    batcher.flush();
    const stopped = signal.aborted;
    if (completion.kind === 'failed' && !stopped) throw new PlaygroundError(completion.reason);
    this.history.push({ role: 'user', content: question.content });
    if (text !== '') this.history.push({ role: 'assistant', content: text });
    dropOldest(this.history);
    const { inputTokens: input, outputTokens: output, ms } = completion;
    const usage = { input, output, cost, ms, vendor, model };
    this.send({ content: '', is_error: false, is_finished: true, usage, ...(runId === null ? {} : { run_id: runId }) });
  }

  private closeRevoked(): void {
    this.activeAnswer?.abort();
    this.opened.socket.close(CLOSE_SIGNED_OUT, 'Signed out');
  }

  private canAccess(caller: Caller | null, product: { readonly company_id: number }): boolean {
    return (
      caller?.id === this.opened.opener.id &&
      (caller.companies === null || caller.companies.includes(product.company_id))
    );
  }

  /** Read everything needed before a model is called; null if the session has ended. */
  private async prepare(question: QuestionFrame) {
    const { context } = this.opened;
    // The operator's session and access may have changed since the socket was opened.
    const caller = await this.opened.currentCaller();
    if (caller?.id !== this.opened.opener.id) return null;
    const prompt = question.prompt_id === null ? undefined : await readPrompt(context.reader, question.prompt_id);
    const product = await findProductForPrompt(context.reader, this.opened.productId ?? prompt?.product_id ?? 0);
    const isAccessible = product !== undefined && this.canAccess(caller, product);
    const isUnknown = question.prompt_id !== null && (!prompt || !isAccessible || prompt.product_id !== product.id);
    if (isUnknown) throw new PlaygroundError(`Unknown prompt_id ${question.prompt_id}: there is no such prompt here`);
    if (!product || !isAccessible) throw new PlaygroundError('Choose a product, or a prompt of one');
    const { system, opening, values } = await renderTexts(context, {
      product,
      promptText: prompt?.text ?? '',
      question,
    });
    // Drafts are tried here: all texts are as they were saved last.
    const render = (text: string) => renderPrompt(context, { product, text, values, includes: 'saved' });
    const lookup = promptLookupOf(await describedPrompts(context.reader, product.id, 'saved'), render);
    return { product, prompt, system, opening, lookup };
  }
}

/** Render the prompt and the opening message for the lead that the question names. */
async function renderTexts(
  context: AppContext,
  { product, promptText, question }: { product: ProductForPrompt; promptText: string; question: QuestionFrame },
): Promise<{ system: string; opening: string | null; values: TemplateValues }> {
  try {
    const values = await loadTemplateValuesForLead(context.reader, product, question.lead_id);
    const system = buildSystemPrompt(
      await renderPrompt(context, { product, text: question.system ?? promptText, values, includes: 'saved' }),
      values,
    );
    if (question.prepared_message_id === null) return { system, opening: null, values };
    const prepared = await readPreparedMessage(context.reader, question.prepared_message_id, product.id);
    if (!prepared) throw new PlaygroundError('There is no such prepared message');
    const opening = await renderMessage(context, { product, text: prepared.message, values, includes: 'saved' });
    return { system, opening, values };
  } catch (error) {
    if (error instanceof EmptyVariable)
      throw new PlaygroundError(`The variable ${error.variable} is empty for this lead`);
    if (error instanceof TemplateError)
      throw new PlaygroundError(`The prompt cannot be rendered: ${error.message.slice(0, 300)}`);
    if (error instanceof Error && 'code' in error && error.code === 'not_found')
      throw new PlaygroundError('There is no such lead');
    throw error;
  }
}

/** Drop the oldest messages beyond the limits; messages are dropped whole. */
function dropOldest(history: HistoryMessage[]): void {
  history.splice(0, Math.max(0, history.length - MAX_HISTORY_MESSAGES));
  let length = history.reduce((sum, message) => sum + message.content.length, 0);
  while (length > MAX_HISTORY_LENGTH) length -= history.shift()?.content.length ?? length;
}

/** Return a sentence such as `Not understood: temperature: Enter 2 or less`. */
function describeInvalidFrame(error: z.ZodError): string {
  const [firstViolation] = violationsOf(error);
  return `Not understood: ${firstViolation?.path.join('.') || 'message'}: ${firstViolation?.message ?? 'unreadable'}`;
}

/**
 * Batch the pieces that arrive within one turn of the event loop. A slow model's pieces are passed on one by one;
 * those of a model quicker than this process are combined into as many as it can send. [With a thousand concurrent
 * streams, a system call per piece was a third of all work.]
 */
function batchChunks(send: (text: string) => void): { add(piece: string): void; flush(): void } {
  let buffer = '';
  const flush = (): void => {
    if (buffer !== '') send(buffer);
    buffer = '';
  };
  return {
    add(piece) {
      if (buffer === '') setImmediate(flush);
      buffer += piece;
    },
    flush,
  };
}

function parseJson(text: string): unknown {
  try {
    return parseStrict(text);
  } catch {
    return undefined;
  }
}
