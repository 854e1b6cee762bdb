/** What each fault does, in a sentence for whoever holds the switches. */
import { type FaultKind, type ModelFault, modelFaults, modelVendors } from './contract.ts';

const ofMessengers = {
  'wazzup24.lose_answer': 'The message arrives, the connection is cut before the answer',
  'wazzup24.fail_before': 'Server error, nothing arrives',
  'wazzup24.fail_after': 'Server error, though the message arrives',
  'wazzup24.rate_limited': 'Too many requests, nothing arrives',
  'wazzup24.delay': 'The answer comes late',
  'wazzup24.rubbish': 'The answer is unreadable',
  'wazzup24.hang': 'No answer ever comes',
  'wazzup24.refuse': 'The message is refused: no such contact',
  'wazzup24.fail_later': 'The message is accepted and fails later: no such contact',
  'wazzup24.status_first': 'The status comes before the answer',
  'wazzup24.statuses_reordered': 'Statuses come in the wrong order',
  'wazzup24.dead_channel': 'The channel takes messages and none arrives',
  'amocrm.down': 'amoCRM does not answer',
  'amocrm.rate_limited': 'amoCRM has too many requests',
  'amocrm.fail_before': 'amoCRM answers with a server error, nothing is done',
  'amocrm.fail_after': 'amoCRM answers with a server error, though it is done',
  'amocrm.lose_answer': 'amoCRM does it, and the connection is cut before the answer',
  'amocrm.delay': 'amoCRM answers late',
  'amocrm.revoked': 'amoCRM revokes the tokens at the next refresh',
  'hooks.duplicate': 'Every hook comes twice',
  'hooks.shuffle': 'Hooks come in bursts, shuffled',
  'hooks.mix': 'Messages and statuses come in one hook',
  'hooks.delay': 'Hooks come late',
  'hooks.drop': 'Hooks are lost',
  'hooks.fail': 'Hooks do not get through and are tried again',
  'hooks.no_retry': 'A failed hook is not tried again',
} satisfies Partial<Record<FaultKind, string>>;

const ofModels: Readonly<Record<ModelFault, string>> = {
  reset: 'The model cuts the connection',
  unauthorized: 'The model refuses the key',
  rate_limited: 'The model has too many requests',
  quota: 'The quota of the model is spent',
  server_error: 'The model answers with a server error',
  stall_first: 'The model never begins',
  stall_middle: 'The model stops in mid-sentence and stays silent',
  cut: 'The model is cut off in mid-sentence',
  ends_early: 'The model ends in mid-sentence as if it had finished',
  malformed: 'A part of the answer is unreadable',
  empty: 'The model answers without a word',
  half_json: 'The model answers with half a JSON object',
  other_language: 'The model answers in a language nobody asked for',
  slow: 'The model speaks very slowly',
  says: 'The model says something that nobody should read',
  unknown_tool: 'The model calls a tool that does not exist',
  hostile: 'The model obeys everybody, tells its prompt and calls every tool',
};

export const faultSentences: Readonly<Record<string, string>> = {
  ...ofMessengers,
  ...Object.fromEntries(
    modelVendors.flatMap((vendor) => modelFaults.map((fault) => [`${vendor}.${fault}`, ofModels[fault]])),
  ),
};
