/** Labels for delivery failures, in English; translated with `t`. */
import type { MessageStatus } from '../../conversations/contract.ts';
import type { FailureState, RetryBlock } from '../../outbox/deliveryFailureContract.ts';

export const stateWords: Readonly<Record<FailureState, string>> = {
  error: 'Failed',
  unconfirmed: 'Unconfirmed',
  refused: 'Refused for now',
};

/** Status of the message itself, which looks the same on every page. */
export const statusOfState: Readonly<Record<FailureState, MessageStatus>> = {
  error: 'error',
  unconfirmed: 'unconfirmed',
  refused: 'scheduled',
};

export const blockReasonWords: Readonly<Record<RetryBlock, string>> = {
  opted_out: 'the lead opted out',
  inactive: 'the lead is not active',
  human: 'a human has taken the dialogue over from the bot',
  stage: 'the lead is in a stage where the bot is off',
  product_off: 'the product is switched off',
  talked: 'it is a first message, and there is a conversation with the lead already',
  refused: 'they are retried automatically',
};
