/** Builds the call that answers a lead. Turns, drafts for operators and the studio make the same call. */
import type { AppContext } from '../platform/appContext.ts';
import { type Owner, renderPrompt, TemplateError, type TemplateValues } from '../prompts/prompt.ts';
import { askForReply, type PromptRunInput } from './runPrompt.ts';
import { buildSystemPrompt, type ConversationMessage, type TeamNote, toModelMessages } from './systemPrompt.ts';

/** Longest part of a template's error that is kept, characters. */
const MAX_TEMPLATE_ERROR = 300;

interface SystemText {
  readonly product: Owner;
  /** The prompt's template. */
  readonly text: string;
  readonly values: TemplateValues;
  readonly notes: readonly TeamNote[];
}

/** Render the system text of an answer. A template that cannot be rendered is a value. */
export async function renderSystemText(
  context: AppContext,
  { product, text, values, notes }: SystemText,
): Promise<
  { readonly kind: 'rendered'; readonly system: string } | { readonly kind: 'failed'; readonly detail: string }
> {
  try {
    const rendered = await renderPrompt(context, { product, text, values });
    return { kind: 'rendered', system: buildSystemPrompt(rendered, values, notes) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { kind: 'failed', detail: error.message.slice(0, MAX_TEMPLATE_ERROR) };
  }
}

interface AnswerCall
  extends Pick<
    PromptRunInput,
    | 'product'
    | 'vendor'
    | 'model'
    | 'temperature'
    | 'purpose'
    | 'metadata'
    | 'system'
    | 'dialogueId'
    | 'lookup'
    | 'mayRequestHuman'
    | 'mayStopWriting'
    | 'credentials'
    | 'signal'
  > {
  readonly prompt: { readonly name: string };
  /** What the model sees of the conversation, oldest first. */
  readonly history: readonly ConversationMessage[];
}

/** Have a model answer the conversation. The caller stores the run. */
export function generateAnswer(context: AppContext, { prompt, history, ...call }: AnswerCall) {
  return askForReply(context, { ...call, name: prompt.name, messages: toModelMessages(history) });
}
