/** Assistant tools for the form that sends a message to a contact. */
import { z } from 'zod';
import type { FormValues } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { changeDraft, type Draft, type ViewRef, viewRefsById } from '../../ui/undo.ts';
import { type AcceptedMessages, sendPayload } from '../contract.ts';
import { suggestReplyTool } from './handOverTools.ts';
import { type Content, SEND_DEFAULTS } from './sending.ts';

interface SendDraft {
  readonly content: Content;
  readonly values: FormValues;
  /** The run of the suggested reply that the text began as. */
  readonly runId: number | null;
}

/** The form's draft, by contact id. */
export const sendDraftView = viewRefsById<Draft<SendDraft>>();

const FILL_INPUT = z.strictObject({
  text: sendPayload.shape.message,
  schedule_enabled: z.boolean().default(SEND_DEFAULTS.schedule_enabled),
  delay_enabled: z.boolean().default(SEND_DEFAULTS.delay_enabled),
  split: z.boolean().default(SEND_DEFAULTS.split),
});

const SEND_INPUT = FILL_INPUT.extend({
  keep_bot: z.boolean().default(false).describe(t('Whether the bot keeps a dialogue that it owns')),
});
export type ToSend = z.output<typeof SEND_INPUT>;

interface SendToolsOptions {
  /** The dialogue on the channel chosen in the form; null: sending creates one. */
  readonly dialogueId: number | null;
  /** Sends such a text to the contact, on the channel chosen in the form. */
  readonly send: (values: ToSend) => Promise<AcceptedMessages>;
}

export function sendTools(view: ViewRef<Draft<SendDraft>>, { dialogueId, send }: SendToolsOptions): ToolWithHandler[] {
  return [
    pageTool({
      name: 'fill_in_message',
      description: t('Replaces the text in the form. Does not send it.'),
      input: FILL_INPUT,
      confirm: true,
      run: async (values) =>
        changeDraft(view, { content: 'text', values, runId: null }, { status: 'in the form, not sent' }),
    }),
    ...(dialogueId === null ? [] : [suggestTool(view, dialogueId)]),
    pageTool({
      name: 'send_message',
      description: t('Sends a text to the contact, on the channel and no earlier than the time set in the form.'),
      input: SEND_INPUT,
      confirm: true,
      irreversible: t('A sent message cannot be taken back.'),
      run: async (values) => {
        const { dialogue_id, messages } = await send(values);
        return { status: 'on its way', dialogue_id, messages: messages.length };
      },
    }),
  ];
}

function suggestTool(view: ViewRef<Draft<SendDraft>>, dialogueId: number): ToolWithHandler {
  const valuesNow = () => view.current?.value.values ?? {};
  return suggestReplyTool(dialogueId, {
    typed: () => String(valuesNow()['text'] ?? ''),
    insert: ({ text, runId }, result) =>
      changeDraft(view, { content: 'text', values: { ...valuesNow(), text }, runId }, result),
  });
}
