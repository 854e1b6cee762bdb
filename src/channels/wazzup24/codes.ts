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

/** The documentation spells codes in camelCase, live answers in UPPER_SNAKE: both become lower case without `_`. */
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

/** What a code is about; an unknown one is taken as final for this message, since nobody knows that a repeat helps. */
export function refusalAboutOf(code: string): RefusalAbout {
  const normalized = normalizeCode(code);
  if (normalized.startsWith('messagestoolong')) return 'message';
  return aboutByCode.get(normalized) ?? 'message';
}

/** Whether the vendor says that this key was used inside its window: the message is accepted already. */
export function isRepeated(code: string): boolean {
  return normalizeCode(code) === 'repeatedcrmmessageid';
}
