/** Refusals of dialogues and messages. */
import type { RefusalKinds } from '../platform/refuse.ts';

export const conversationRefusals = {
  'hook.too_long': { status: 413, sentence: 'A hook may list {most} items at most.' },
  'dialogue.exists': { status: 409, sentence: 'Dialogue {id} already holds this address on this channel.' },
  'dialogue.address_taken': { status: 409, sentence: 'This address already has a dialogue on this channel.' },
  'dialogue.channel_not_shared': {
    status: 409,
    sentence: "The channel is not shared with the product's company. An admin can share it on the channels page.",
  },
  'dialogue.none': { status: 409, sentence: 'This contact has no dialogue yet. Use send-new to begin one.' },
  'dialogue.mismatch': { status: 409, sentence: 'Product, contact and dialogue do not belong together.' },
  'dialogue.fixed': { status: 409, sentence: 'A dialogue stays with its contact and channel.' },
  'dialogue.answered': { status: 409, sentence: 'There is nothing to answer in this dialogue.' },
  'dialogue.nothing_to_skip': {
    status: 409,
    sentence: 'There is no follow-up to skip: none comes after a message of the lead, or where nothing was said.',
  },
  'dialogue.channel_not_linked': { status: 409, sentence: 'The channel is not linked to the product.' },
  'dialogue.other_messenger': {
    status: 409,
    sentence: 'This contact is reached on {type}; the channel is another messenger.',
  },
  'dialogue.no_channel': { status: 409, sentence: 'No active {type} channel is linked to the product.' },
  'classification.nothing': { status: 409, sentence: 'The lead has written nothing that could be classified.' },
  'classification.not_now': { status: 409, sentence: 'This dialogue is not classified: {why}.' },
  'classification.done': { status: 409, sentence: "The lead's last words are classified already." },
  'message.left': { status: 409, sentence: 'This message is {status}: it can no longer be changed.' },
  'message.not_failed': {
    status: 409,
    sentence: 'This message is {status}: only failed or unconfirmed ones are retried.',
  },
  'message.not_unconfirmed': { status: 409, sentence: 'This message is {status}, not unconfirmed.' },
  'message.empty_variable': { status: 409, sentence: 'The variable {variable} is empty for this lead.' },
  'message.template': { status: 409, sentence: 'The text cannot be filled in: {reason}' },
  'document.not_written': { status: 503, sentence: 'The document could not be written: {reason}' },
} satisfies RefusalKinds;
