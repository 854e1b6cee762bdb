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
const PASSING = ['messageDownloadContentError', 'messagesCanNotAdd', 'unknownError'];

/** The documentation spells codes in camelCase, live answers in UPPER_SNAKE: both become lower case without `_`. */
function normal(code: string): string {
  return code.replaceAll('_', '').toLowerCase();
}

const sorted = new Map<string, RefusalAbout>();
for (const [about, codes] of [
  ['message', MESSAGE],
  ['recipient', RECIPIENT],
  ['channel', CHANNEL],
  ['passing', PASSING],
] as const) {
  for (const code of codes) sorted.set(normal(code), about);
}

/** What a code is about; an unknown one is taken as final for this message, since nobody knows that a repeat helps. */
export function aboutOf(code: string): RefusalAbout {
  const known = normal(code);
  if (known.startsWith('messagestoolong')) return 'message';
  return sorted.get(known) ?? 'message';
}

/** Whether the vendor says that this key was used inside its window: the message is accepted already. */
export function isRepeated(code: string): boolean {
  return normal(code) === 'repeatedcrmmessageid';
}
