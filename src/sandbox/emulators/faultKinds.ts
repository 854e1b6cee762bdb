/**
 * The faults of the emulated vendors, each with one sentence about its effect, which is shown beside its switch. A
 * comment names the parameters of `Fault` that a fault uses.
 */

/** Emulated wire protocols of language models. */
export const modelVendors = ['openai', 'anthropic', 'gemini'] as const;
export type ModelVendor = (typeof modelVendors)[number];

/** Faults of both messengers. With `after` the message of a spoilt answer has been accepted. */
const messengers = [
  ['lose_answer', 'The message arrives, the connection is cut before the answer'],
  // `status`, default 500.
  ['fail_before', 'Server error, nothing arrives'],
  // `status`, default 500.
  ['fail_after', 'Server error, though the message arrives'],
  // `retryAfterSeconds` adds the header.
  ['rate_limited', 'Too many requests, nothing arrives'],
  // `ms`, `after`.
  ['delay', 'The answer comes late'],
  // `after`.
  ['rubbish', 'The answer is unreadable'],
  // `after`.
  ['hang', 'No answer ever comes'],
  ['status_first', 'The status comes before the answer'],
  ['statuses_reordered', 'Statuses come in the wrong order'],
  // The channel is reported as connected.
  ['dead_channel', 'The channel takes messages and none arrives'],
] as const;

const others = [
  // `code`, default BAD_CONTACT; `description`; `status`, default 400.
  ['wazzup24.refuse', 'The message is refused: no such contact'],
  // `code`, default BAD_CONTACT.
  ['wazzup24.fail_later', 'The message is accepted and fails later: no such contact'],
  // `code`: the parameter, default phone; `status`, default 422.
  ['chatpush.refuse', 'The message is refused: the number is wrong'],
  ['chatpush.fail_as_200', 'Refusals come with the status of a success'],
  // `code`: the status id, default 44.
  ['chatpush.fail_later', 'The message is accepted and fails later: not in WhatsApp'],
  // The vendor did so until 2026-07.
  ['chatpush.echo', 'What goes out by WhatsApp comes back as a message'],
  ['chatpush.no_echo', 'What goes out by Telegram does not come back'],
  ['chatpush.no_callback', 'Nobody is called back with the status'],
  // A match's `text` is a part of method and path.
  ['amocrm.down', 'amoCRM does not answer'],
  ['amocrm.rate_limited', 'amoCRM has too many requests'],
  // `status`, default 502.
  ['amocrm.fail_before', 'amoCRM answers with a server error, nothing is done'],
  // `status`, default 504.
  ['amocrm.fail_after', 'amoCRM answers with a server error, though it is done'],
  ['amocrm.lose_answer', 'amoCRM does it, and the connection is cut before the answer'],
  // `ms`.
  ['amocrm.delay', 'amoCRM answers late'],
  // `size`: how many cards after each page, default 10.
  ['amocrm.edit_meanwhile', 'People edit cards while amoCRM is read page by page'],
  // A match's `account` is the browser. `status`, default 410.
  ['push.gone', 'The push service does not know the browser any more'],
  // `retryAfterSeconds` adds the header.
  ['push.rate_limited', 'The push service has too many requests'],
  // `status`, default 503.
  ['push.fail_before', 'The push service answers with a server error, nothing is taken'],
  ['push.lose_answer', 'The push service takes it, and the connection is cut before the answer'],
  // `ms`.
  ['push.delay', 'The push service answers late'],
  // `copies`, default 1.
  ['hooks.duplicate', 'Every hook comes twice'],
  // Sent when there are `size` (default 5) or `ms` passed (default 500).
  ['hooks.shuffle', 'Hooks come in bursts, shuffled'],
  // `ms`, default 200.
  ['hooks.mix', 'Messages and statuses come in one hook'],
  // `ms`.
  ['hooks.delay', 'Hooks come late'],
  ['hooks.drop', 'Hooks are lost'],
  ['hooks.fail', 'Hooks do not get through and are tried again'],
] as const;

const models = [
  ['reset', 'The model cuts the connection'],
  ['unauthorized', 'The model refuses the key'],
  // `retryAfterSeconds`, default 1.
  ['rate_limited', 'The model has too many requests'],
  ['quota', 'The quota of the model is spent'],
  // `status`, default 500.
  ['server_error', 'The model answers with a server error'],
  // Headers, then nothing for `ms`, without end if absent.
  ['stall_first', 'The model never begins'],
  // The same after `afterTokens`, default 3.
  ['stall_middle', 'The model stops in mid-sentence and stays silent'],
  // `afterTokens`, default 3.
  ['cut', 'The model is cut off in mid-sentence'],
  // `afterTokens`, default 3; no finish_reason, usage or [DONE].
  ['ends_early', 'The model ends in mid-sentence as if it had finished'],
  ['malformed', 'A part of the answer is unreadable'],
  ['empty', 'The model answers without a word'],
  ['half_json', 'The model answers with half a JSON object'],
  ['other_language', 'The model answers in a language nobody asked for'],
  // `ms` between tokens, default 500.
  ['slow', 'The model speaks very slowly'],
  // `says`.
  ['says', 'The model answers a given text, with given tool calls'],
  ['unknown_tool', 'The model calls a tool that does not exist'],
  ['prefers_first', 'As a judge, the model prefers whatever answer it reads first'],
  ['hostile', 'The model obeys everybody, tells its prompt and calls every tool'],
] as const;
export type ModelFault = (typeof models)[number][0];

/** Kind and sentence of every fault, in the order of the switches. */
export const faultSentences = [
  ...messengers.map(([fault, sentence]) => [`wazzup24.${fault}`, sentence] as const),
  ...messengers.map(([fault, sentence]) => [`chatpush.${fault}`, sentence] as const),
  ...others,
  ...modelVendors.flatMap((vendor) => models.map(([fault, sentence]) => [`${vendor}.${fault}`, sentence] as const)),
];

export const faultKinds = faultSentences.map(([kind]) => kind);
