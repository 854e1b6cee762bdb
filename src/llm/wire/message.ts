/** What a model is asked and what it may answer, in no vendor's shape. */

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** Thoughts of Anthropic's models. It requires them back unchanged, before the calls that they led to. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly text: string;
  readonly signature?: string;
  /** Encrypted thoughts, in place of the text. */
  readonly redacted?: string;
}

export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  /** Empty if the arguments were invalid: every vendor requires an object. */
  readonly input: unknown;
  /** Gemini's thought signature, which newer models require back with the call. */
  readonly signature?: string;
}

export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text' | 'error-text'; readonly value: string }
    | { readonly type: 'json'; readonly value: unknown };
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

/** JSON: an unfinished question of the assistant is stored with its messages. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultPart[] };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Carry the call out and return the result for the model. Without it, calls are returned with the answer. */
  readonly execute?: (input: unknown) => Promise<string>;
  /** The answer is complete with a call that was carried out: the model is not asked for more. */
  readonly endsAnswer?: boolean;
}

/** Why an answer ended. `interrupted`: the stream ended before the answer. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other' | 'interrupted';

/** Return the parts of an assistant's message, without empty texts. */
export function partsOf(content: string | readonly AssistantPart[]): readonly AssistantPart[] {
  const parts: readonly AssistantPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return parts.filter((part) => part.type !== 'text' || part.text !== '');
}
