/** Assistant tools for the form that sends a message to a contact. */
import { z } from 'zod';
import type { FormValues } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { changeDraft, type Draft, type ViewRef, viewRefsById } from '../../ui/undo.ts';
import { type AcceptedMessages, sendPayload } from '../contract.ts';
import { type Content, SEND_DEFAULTS } from './sending.ts';

interface SendDraft {
  readonly content: Content;
  readonly values: FormValues;
}

/** The form's draft, by contact id. */
export const sendDraftView = viewRefsById<Draft<SendDraft>>();

const SEND_INPUT = z.strictObject({
  text: sendPayload.shape.message,
  schedule_enabled: z.boolean().default(SEND_DEFAULTS.schedule_enabled),
  delay_enabled: z.boolean().default(SEND_DEFAULTS.delay_enabled),
  split: z.boolean().default(SEND_DEFAULTS.split),
});

/** @param send sends such a text to the contact, on the channel chosen in the form. */
export function sendTools(
  view: ViewRef<Draft<SendDraft>>,
  send: (values: z.output<typeof SEND_INPUT>) => Promise<AcceptedMessages>,
): ToolWithHandler[] {
  return [
    pageTool({
      name: 'fill_in_message',
      description: t('Replaces the text in the form. Does not send it.'),
      input: SEND_INPUT,
      confirm: true,
      run: async (values) => changeDraft(view, { content: 'text', values }, { status: 'in the form, not sent' }),
    }),
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
