/** The endpoint that writes to a contact, called by the console and the team's own programs. */
import { z } from 'zod';
import { acceptedMessages, confirmOptedOut, optionalId, trueByDefault } from '../conversations/contract.ts';
import { endpoint, errorReply, reference, sendTime, text } from '../platform/contract.ts';

export const sendNew = endpoint({
  operation: 'sendNewMessage',
  method: 'POST',
  path: '/v1/chatbot/send-new',
  access: 'session',
  summary: 'Write to a contact, in its dialogue on the channel or in a new one',
  load: 'outside',
  slowReason: 'A model may write the document that is sent.',
  query: z.strictObject({ delay_enabled: trueByDefault, schedule_enabled: trueByDefault }),
  body: z
    .strictObject({
      contact_id: reference('contact'),
      channel_id: reference('channel').nullable().default(null),
      split: trueByDefault,
      text: text.max(20_000).nullable().default(null),
      prepared_message_id: optionalId('prepared_message'),
      document_prompt_id: optionalId('document_prompt'),
      send_not_before: sendTime.nullable().default(null),
      /** The caller's idempotency key: a repeated key returns the messages of the first call. */
      client_key: z.string().min(1).max(100).nullable().default(null),
      confirm_opted_out: confirmOptedOut,
    })
    .refine(
      (body) => [body.text, body.prepared_message_id, body.document_prompt_id].filter((v) => v !== null).length === 1,
      { message: 'Give exactly one of text, prepared_message_id, document_prompt_id', path: ['text'] },
    ),
  replies: { 201: acceptedMessages, 404: errorReply, 409: errorReply, 503: errorReply },
});
