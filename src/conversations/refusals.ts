/** Refusals of dialogues and messages. */
import type { RefusalKinds } from '../platform/refuse.ts';

export const conversationRefusals = {
  'hook.too_long': { status: 413, sentence: 'A webhook may contain at most {most} items.' },
  'ignored.nobody': { status: 409, sentence: "This chat is not one person's: no lead can be made of it." },
  'ignored.no_product': {
    status: 409,
    sentence:
      'No product receives what strangers write on this channel. Enable inbound messages in its channel settings.',
  },
  'dialogue.exists': { status: 409, sentence: 'Dialogue {id} already uses this address on this channel.' },
  'dialogue.address_taken': { status: 409, sentence: 'This address already has a dialogue on this channel.' },
  'dialogue.channel_not_shared': {
    status: 409,
    sentence: "The channel is not shared with the product's company. An admin can share it on the channels page.",
  },
  'dialogue.none': { status: 409, sentence: 'This contact has no dialogue yet. Use send-new to start one.' },
  'dialogue.mismatch': { status: 409, sentence: 'Product, contact and dialogue do not belong together.' },
  'dialogue.fixed': { status: 409, sentence: 'A dialogue stays with its contact and channel.' },
  'dialogue.answered_meanwhile': {
    status: 409,
    sentence: '{who} has answered in the meantime: "{text}". Send yours as well?',
  },
  'dialogue.answered': { status: 409, sentence: 'There is nothing to answer in this dialogue.' },
  'person.opted_out': { status: 409, sentence: 'This person asked not to be written to. Confirm to send it anyway.' },
  'person.may_opt_out': {
    status: 409,
    sentence: 'This person may want no more messages. Confirm to send it anyway.',
  },
  'dialogue.nothing_to_skip': {
    status: 409,
    sentence: 'There is no follow-up to skip: the lead wrote last, or the dialogue has no messages.',
  },
  'dialogue.channel_not_linked': { status: 409, sentence: 'The channel is not linked to the product.' },
  'dialogue.other_messenger': {
    status: 409,
    sentence: 'This contact uses {type}; the channel is for another messenger.',
  },
  'dialogue.invalid_address': { status: 409, sentence: '{reason}. Correct the contact first.' },
  'dialogue.other_chat': { status: 409, sentence: "In WhatsApp the chat id is the contact's number." },
  'dialogue.chat_on_shared_channel': {
    status: 409,
    sentence: 'The channel belongs to another company: Rapport learns the chat id when the contact writes.',
  },
  'dialogue.no_channel': { status: 409, sentence: 'No active {type} channel is linked to the product.' },
  'classification.nothing': { status: 409, sentence: 'The lead has written nothing to classify.' },
  'classification.not_now': { status: 409, sentence: 'This dialogue is not classified: {why}.' },
  'classification.done': { status: 409, sentence: "The lead's last messages are already classified." },
  'summary.nothing': { status: 409, sentence: 'The lead has written nothing to summarize.' },
  'summary.not_made': { status: 503, sentence: 'No summary could be made: {reason}' },
  'hand_over.not_failed': { status: 409, sentence: 'Nothing of the last hand-over has failed.' },
  'message.left': { status: 409, sentence: 'This message is {status}: it can no longer be changed.' },
  'message.maybe_arrived': {
    status: 409,
    sentence: 'This message may have arrived already: its text can no longer be changed.',
  },
  'message.key_used': { status: 409, sentence: 'This client key was used for another text.' },
  'message.not_failed': {
    status: 409,
    sentence: 'This message is {status}: only failed or unconfirmed ones are retried.',
  },
  'message.not_unconfirmed': { status: 409, sentence: 'This message is {status}, not unconfirmed.' },
  'message.empty_variable': { status: 409, sentence: 'The variable {variable} is empty for this lead.' },
  'message.template': { status: 409, sentence: 'The text cannot be filled in: {reason}' },
  'document.not_written': { status: 503, sentence: 'The document could not be written: {reason}' },
} satisfies RefusalKinds;
