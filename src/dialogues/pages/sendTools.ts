/** What the assistant may do with the form of a message to a contact. */
import { z } from 'zod';
import type { FormValues } from '../../kit/form.ts';
import { pageTool, type ToolOfPage } from '../../kit/pageTool.ts';
import { t } from '../../kit/t.ts';
import { changeDraft, type Draft, type InView, viewsById } from '../../kit/undo.ts';
import { type Accepted, sendPayload } from '../contract.ts';
import { type Content, SENDING } from './sending.ts';

interface Filled {
  readonly content: Content;
  readonly values: FormValues;
}

/** The form, by the contact's id. */
export const sendView = viewsById<Draft<Filled>>();

const FILLED = z.strictObject({
  text: sendPayload.shape.message,
  schedule_enabled: z.boolean().default(SENDING.schedule_enabled),
  delay_enabled: z.boolean().default(SENDING.delay_enabled),
  split: z.boolean().default(SENDING.split),
});

/** @param send sends such a text to the contact, on the channel chosen in the form. */
export function sendTools(
  view: InView<Draft<Filled>>,
  send: (values: z.output<typeof FILLED>) => Promise<Accepted>,
): ToolOfPage[] {
  return [
    pageTool({
      name: 'fill_in_message',
      description: t('Puts a text into the form, in place of what is there. It is not sent by that.'),
      input: FILLED,
      confirm: true,
      run: async (values) => changeDraft(view, { content: 'text', values }, { status: 'in the form, not sent' }),
    }),
    pageTool({
      name: 'send_message',
      description: t('Sends a text to the contact, on the channel and not before the moment that the form says.'),
      input: FILLED,
      confirm: true,
      irreversible: t('A message that is sent cannot be taken back.'),
      run: async (values) => {
        const { dialogue_id, messages } = await send(values);
        return { status: 'on its way', dialogue_id, messages: messages.length };
      },
    }),
  ];
}
