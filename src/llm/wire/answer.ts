/** Collects one streamed answer, in the order in which its pieces arrive. */
import { randomUUID } from 'node:crypto';
import { refuseUnstorable } from '../../platform/http/json.ts';
import { toTokens } from '../usage.ts';
import { LeadingThought, withoutThoughts } from './leadingThought.ts';
import type { AssistantPart, FinishReason, ReasoningPart } from './message.ts';

/** A tool call by the model that is not executed here. */
export interface ModelCall {
  /** The model's id of the call. */
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
  /** Why the call is invalid: no such tool, or arguments that are not JSON. */
  readonly fault: string | null;
}

/** Called with the pieces of an answer before they are added to it; throws to end the answer. */
export interface AnswerObserver {
  /** `isAnswer`: the piece is not a thought. */
  onPiece(piece: string, isAnswer: boolean): void;
  onText(piece: string): void;
}

/** A call whose arguments may still arrive. */
export interface CallDraft {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  /** Further pieces of the name. */
  moreName: string;
  readonly signature: string | undefined;
  /** JSON text in pieces, or what a vendor sent as an object. */
  arguments: string | { readonly value: unknown };
  /** The last of the pieces; some servers repeat the whole in it. */
  lastPiece: string;
}

/** Why a call of the model is refused. */
export const INVALID_CALL = 'There is no such tool, or its arguments are not JSON';

type Mutable<Part> = { -readonly [Key in keyof Part]: Part[Key] };
type Draft = { readonly type: 'text'; text: string } | Mutable<ReasoningPart> | CallDraft;

export class AnswerBuilder {
  finish: FinishReason = 'interrupted';
  /** It came in one piece: the server does not stream. */
  isWhole = false;
  /** The model that answered; null if the vendor does not say. */
  model: string | null = null;
  /** Which installation of the model answered (OpenAI API reference, `system_fingerprint`). */
  fingerprint: string | null = null;
  /** Whether anything has come, be it an answer or not. */
  hasData = false;
  /** The whole request and the whole answer; null if the vendor does not say. */
  private reportedInput: number | null = null;
  private reportedOutput: number | null = null;
  private readonly drafts: Draft[] = [];
  private readonly observer: AnswerObserver;
  private readonly leading = new LeadingThought();
  private hasReasoned = false;

  constructor(observer: AnswerObserver) {
    this.observer = observer;
  }

  get inputTokens(): number | null {
    return this.reportedInput;
  }

  get outputTokens(): number | null {
    return this.reportedOutput;
  }

  /** Take what the vendor reports to have used so far. The greatest number counts: some report a zero after it. */
  reportUsage(input: number | null | undefined, output: number | null | undefined): void {
    this.reportedInput = greatest(this.reportedInput, toTokens(input));
    this.reportedOutput = greatest(this.reportedOutput, toTokens(output));
  }

  /** Add a piece of text. Thoughts that the text begins with count towards its length, and are left out. */
  addText(piece: string): void {
    if (piece === '') return;
    this.observer.onPiece(piece, true);
    this.keepText(this.leading.take(piece).text);
  }

  private keepText(piece: string): void {
    if (piece === '') return;
    const last = this.drafts.at(-1);
    if (last?.type === 'text') last.text += piece;
    else this.drafts.push({ type: 'text', text: piece });
    this.observer.onText(piece);
  }

  /** Start a thought; its text, and what the vendor wants back with it, are added to the result. */
  startReasoning(redacted?: string): Mutable<ReasoningPart> {
    const draft: Mutable<ReasoningPart> = { type: 'reasoning', text: '' };
    if (redacted !== undefined) draft.redacted = redacted;
    this.observer.onPiece(redacted ?? '', false);
    this.drafts.push(draft);
    return draft;
  }

  /** Whether the model has thought, in a field of its own or in its text. */
  get hasThoughts(): boolean {
    return this.hasReasoned || this.leading.hasThought;
  }

  /** Count a thought towards the length of the answer. */
  addReasoning(piece: string, draft?: Mutable<ReasoningPart>): void {
    this.hasReasoned = true;
    this.observer.onPiece(piece, false);
    if (draft) draft.text += piece;
  }

  /** The vendor has said that the answer is whole: without a reason, it has ended as it should. */
  complete(): void {
    this.keepText(this.leading.end().text);
    const hasCalled = this.drafts.some((draft) => draft.type === 'call');
    if (this.finish === 'interrupted' && this.drafts.length > 0) this.finish = hasCalled ? 'tool-calls' : 'stop';
  }

  /** Start a call; null if it names no tool at all, because no vendor accepts such a call back. */
  startCall(name: string, id?: string | null, signature?: string): CallDraft | null {
    if (name.trim() === '') return null;
    this.keepText(this.leading.end().text);
    const isNew = id && this.drafts.every((one) => one.type !== 'call' || one.id !== id);
    const draft: CallDraft = {
      type: 'call',
      id: isNew ? id : randomUUID(),
      name,
      signature,
      arguments: '',
      lastPiece: '',
      moreName: '',
    };
    this.observer.onPiece(draft.id + name + (signature ?? ''), true);
    this.drafts.push(draft);
    return draft;
  }

  /** Add what came after the name of a call: its second half, or another name. */
  addName(draft: CallDraft, piece: string): void {
    this.observer.onPiece(piece, true);
    draft.moreName += piece;
  }

  /** Add a piece of a call's arguments, or all of them as an object. */
  addArguments(draft: CallDraft, piece: CallDraft['arguments']): void {
    this.observer.onPiece(typeof piece === 'string' ? piece : (JSON.stringify(piece.value) ?? ''), true);
    draft.arguments =
      typeof piece === 'string' && typeof draft.arguments === 'string' ? draft.arguments + piece : piece;
    if (typeof piece === 'string') draft.lastPiece = piece;
  }

  /** Return the answer's text, its calls, and its parts as the model must receive them in the next request. */
  result(toolNames: ReadonlySet<string>): { text: string; calls: ModelCall[]; parts: AssistantPart[] } {
    const calls: ModelCall[] = [];
    let text = '';
    this.keepText(this.leading.end().text);
    const parts = this.drafts.map((draft): AssistantPart => {
      if (draft.type === 'text') {
        const rest = withoutThoughts(draft.text);
        if (rest !== draft.text) this.hasReasoned = true;
        draft.text = rest;
        text += rest;
      }
      if (draft.type !== 'call') return draft;
      const { id, signature } = draft;
      const name = nameOf(draft, toolNames);
      const read = readArguments(draft);
      calls.push({ id, tool: name, input: read.input, fault: read.ok && toolNames.has(name) ? null : INVALID_CALL });
      const isObject = read.ok && typeof read.input === 'object' && read.input !== null && !Array.isArray(read.input);
      return {
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input: isObject ? read.input : {},
        ...(signature === undefined ? {} : { signature }),
      };
    });
    return { text, calls, parts };
  }
}

/**
 * Return the name of the tool that is called. A name may come in pieces, in a namespace (`functions.find`), and with the
 * number of the call (`functions.find:0`); it is only read so if there is such a tool.
 */
function nameOf({ name, moreName }: CallDraft, toolNames: ReadonlySet<string>): string {
  const names = [name, name + moreName];
  const plain = names.map((one) => one.replace(/^.*\./, '').replace(/:\d+$/, ''));
  return [...names, ...plain].find((one) => toolNames.has(one)) ?? name;
}

const greatest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** Parse the arguments of a call. Not `ok`: they are not JSON, or have keys or characters that cannot be stored. */
function readArguments({ arguments: from, lastPiece }: CallDraft): { ok: boolean; input: unknown } {
  let input: unknown = from;
  try {
    input = toArguments(typeof from === 'string' ? parseOnce(from, lastPiece) : from.value);
    refuseUnstorable('body', input);
    return { ok: true, input };
  } catch {
    return { ok: false, input };
  }
}

/** Parse arguments; once, if their last piece repeats the whole. Throws if they are not JSON. */
function parseOnce(text: string, lastPiece: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    let before = text;
    while (lastPiece !== '' && before.endsWith(lastPiece)) before = before.slice(0, -lastPiece.length);
    const whole: unknown = JSON.parse(lastPiece);
    // Two different objects are two calls, and nobody knows which one is meant.
    if (before.trim() !== '' && JSON.stringify(JSON.parse(before)) !== JSON.stringify(whole)) throw error;
    return whole;
  }
}

/** Return arguments as the object that they stand for: none at all may be null or a list, and some are encoded twice. */
function toArguments(input: unknown): unknown {
  if (input === null || (Array.isArray(input) && input.length === 0)) return {};
  if (typeof input !== 'string') return input;
  if (input.trim() === '') return {};
  try {
    const inner: unknown = JSON.parse(input);
    return typeof inner === 'string' ? input : toArguments(inner);
  } catch {
    return input;
  }
}
