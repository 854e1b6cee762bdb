/** The words for messages that did not get through. English; said through `t`. */
import type { MessageStatus } from '../../conversations/contract.ts';
import type { FailureState, RetryBlock } from '../../outbox/deliveryFailureContract.ts';

export const stateWords: Readonly<Record<FailureState, string>> = {
  error: 'Failed',
  unconfirmed: 'Unconfirmed',
  refused: 'Refused for now',
};

/** The state of the message itself, whose look is the same everywhere. */
export const statusOfState: Readonly<Record<FailureState, MessageStatus>> = {
  error: 'error',
  unconfirmed: 'unconfirmed',
  refused: 'scheduled',
};

export const blockReasonWords: Readonly<Record<RetryBlock, string>> = {
  opted_out: 'the lead asked to be left alone',
  inactive: 'the lead is not active',
  human: 'a human has taken the dialogue over from the bot',
  stage: 'the lead is in a stage in which the bot is silent',
  product_off: 'the product is switched off',
  refused: 'they are tried again by themselves',
};
