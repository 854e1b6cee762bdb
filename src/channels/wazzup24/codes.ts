/** Wazzup24's refusal codes, sorted by who has to act. Source: the vendor's API v3 documentation on sending. */
import type { RefusalAbout } from '../driver.ts';

const MESSAGE = [
  'invalidMessageData',
  'validationError',
  'messageOnlyTextOrContent',
  'messageNothingToSend',
  'messageWrongContentType',
  'messageTextTooLong',
  'messagesContentCanNotBeBlank',
  'messagesTextCanNotBeBlank',
  'messagesContentSizeExceeded',
  'messagesContentSizeExceededWaba',
  'messagesContentSizeExceededTelegram',
  'messagesUnsupportedContentTypeInstapi',
  'referenceMessageNotFound',
  'messagesInvalidContactType',
  'messagesContainButtons',
  'templateRejected',
  'tooLongText',
  'badLink',
  'tooBigContent',
  'wrongContent',
];
const RECIPIENT = [
  'badContact',
  'chatNoAccess',
  'messagesNotTextFirst',
  'messagesIsSpam',
  'messagesAbnormalSend',
  'spam',
];
const CHANNEL = [
  'channelNotFound',
  'channelBlocked',
  'channelWapiRejected',
  'channelNoMoney',
  'balanceIsEmpty',
  'channelLimitExceeded',
  'messageChannelUnavailable',
  'wrongTransport',
];
const TRANSIENT = ['messageDownloadContentError', 'messagesCanNotAdd', 'unknownError'];

/** Normalise a code to lower case without `_`: the documentation uses camelCase, live answers UPPER_SNAKE. */
function normalizeCode(code: string): string {
  return code.replaceAll('_', '').toLowerCase();
}

const aboutByCode = new Map<string, RefusalAbout>();
for (const [about, codes] of [
  ['message', MESSAGE],
  ['recipient', RECIPIENT],
  ['channel', CHANNEL],
  ['passing', TRANSIENT],
] as const) {
  for (const code of codes) aboutByCode.set(normalizeCode(code), about);
}

/** Return what a code concerns. An unknown code is final for this message, because a retry is not known to help. */
export function refusalAboutOf(code: string): RefusalAbout {
  const normalized = normalizeCode(code);
  if (normalized.startsWith('messagestoolong')) return 'message';
  return aboutByCode.get(normalized) ?? 'message';
}

/** Check whether the vendor reports that this key was used within its window: the message is accepted already. */
export function isRepeated(code: string): boolean {
  return normalizeCode(code) === 'repeatedcrmmessageid';
}
