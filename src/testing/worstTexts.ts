/**
 * The functions that read texts of leads, documents and models, and the worst texts for them. Work on a text must have a
 * bound: no function may keep the event loop for long, whatever the text is.
 */
import { parseHook as parseChatpushHook } from '../channels/chatpush/hooks.ts';
import { roleOf } from '../channels/messageKindContract.ts';
import { parseHook as parseWazzupHook } from '../channels/wazzup24/hooks.ts';
import { changesMeaning } from '../conversations/changedText.ts';
import { asksByEmoji, asksSomething, isClosing } from '../conversations/closing.ts';
import { meaningOf } from '../conversations/inboundMeaning.ts';
import { invalidReplyReason } from '../conversations/invalidReply.ts';
import { formatConversation, NAME_STAGE_QUESTION, parseAnswer } from '../conversations/judgeQuestions.ts';
import { cutText } from '../conversations/markup/cutText.ts';
import { findAddresses as findAddressesToKeep, findWhatsAppSpans } from '../conversations/markup/whatsapp.ts';
import { toLeadText } from '../conversations/markup.ts';
import { displayText } from '../conversations/message.ts';
import { checkQuotations } from '../conversations/quotations.ts';
import { isAutoReply, isRobot } from '../conversations/robots.ts';
import { splitText } from '../conversations/splitText.ts';
import { buildSystemPrompt, readSystemPrompt, toModelMessages } from '../conversations/systemPrompt.ts';
import { previewOf } from '../engine/preview.ts';
import { readAddress, readAddresses } from '../leads/address.ts';
import { cleanText, findAddresses } from '../leads/addressText.ts';
import { firstName } from '../leads/firstName.ts';
import { recogniseOptOutIn } from '../leads/optOut.ts';
import { promisesSilence } from '../leads/promisesSilence.ts';
import { mayBeName, normaliseUsername } from '../leads/usernameText.ts';
import { readWords } from '../leads/words.ts';
import { vendorReason } from '../llm/modelAttempt.ts';
import { refusedParameters } from '../llm/serverRefusals.ts';
import { LeadingThought, withoutThoughts } from '../llm/wire/leadingThought.ts';
import { errorMessage, isPage } from '../llm/wire/vendorError.ts';
import { refuseUnstorable } from '../platform/http/json.ts';
import { escapeLike } from '../platform/http/listQuery.ts';
import { normalizeLineEndings } from '../platform/lineEndings.ts';
import { parseablePieces, parseMarkdown } from '../platform/markdown/parse.ts';
import { decodeText } from '../platform/markdown/text.ts';
import { parseNumericText } from '../platform/numericText.ts';
import { renderTemplate, subpromptNames } from '../prompts/template.ts';
import { findTemplateErrors } from '../prompts/templateErrors.ts';
import { factsIn, unknownFacts } from '../studio/checks/facts.ts';
import { possibleLanguages } from '../studio/checks/language.ts';
import { numbersIn } from '../studio/checks/numbers.ts';
import { countQuestions, normalizeSpace, normalizeWording, saysNearly } from '../studio/checks/wording.ts';
import { differenceOf, readAnswer } from '../studio/compare/differences.ts';
import { countWords, statedFacts } from '../studio/compare/statedFacts.ts';
import { agreementOf, styleOf } from '../studio/simulate/realism.ts';
import { createScrubber } from '../studio/simulate/scrub.ts';

const question = NAME_STAGE_QUESTION;
const FACTS = {
  lead: { name: 'Anna', first_name: 'Anna', stage: 'ongoing', crm_fields: {} },
  contact: { contact: '79991234567', type: 'whatsapp' },
  product: { name: 'Kitchens' },
  company: { name: 'Kitchens Ltd' },
  document: {},
  now: '2026-03-01 12:00',
};
const message = (text: string) => ({ side: 'user' as const, text, kind: 'text', at: 0 });
const answer = (text: string) => readAnswer({ text, hand_over: null, stage: null });

/** What is sent: contracts allow no longer message, and `invalidReplyReason` a tenth of it from a model. */
const outgoing = (text: string): string => text.slice(0, 100_000);

/** The functions, by their names; several that are only ever called together are one. */
export const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  // What leads write.
  'a hook of Wazzup24': (text) =>
    parseWazzupHook({
      messages: [
        {
          messageId: 'a',
          channelId: 'b',
          chatType: 'whatsapp',
          chatId: text.slice(0, 200),
          dateTime: text,
          type: 'text',
          contact: { name: text, username: text, phone: text },
          text,
        },
      ],
    }),
  'a hook of ChatPush': (text) =>
    parseChatpushHook({
      type: 'telegram_bot_incoming_msg',
      payload: {
        customer_id: 'a',
        instance: { id: 1, name: text },
        message_id: '1',
        chat_id: text.slice(0, 200),
        sender_id: text.slice(0, 200),
        phone: text,
        username: text,
        name: text,
        timestamp: 1,
        type: 'text',
        text,
      },
    }),
  roleOf: (text) => roleOf({ kind: 'text', text }),
  meaningOf: (text) =>
    meaningOf({
      kind: 'text',
      text,
      at: 0,
      ageMs: 0,
      recent: [{ ...message(text) }, { ...message(text), side: 'bot' }],
    }),
  recogniseOptOut: (text) => recogniseOptOutIn(text),
  promisesSilence,
  readWords: (text) => readWords(text),
  isAutoReply,
  isRobot: (text) => isRobot({ text, kind: 'text', at: 0 }, [{ ...message(text), side: 'bot' }, message(text)]),
  isClosing,
  asksSomething,
  asksByEmoji,
  'changesMeaning, an edit of all': (text) => changesMeaning(text, `${text}a`),
  'changesMeaning, an edit of each word': (text) => changesMeaning(text, text.replaceAll('a', 'b')),
  displayText: (text) => displayText({ text, mediaKind: 'text' }),
  previewOf,
  // Names, addresses and numbers, in files and fields.
  firstName,
  'readAddress, WhatsApp': (text) => readAddress('whatsapp', text),
  'readAddress, Telegram': (text) => readAddress('telegram', text),
  readAddresses: (text) => [readAddresses('whatsapp', text), readAddresses('telegram', text)],
  'addressText.ts': (text) => [cleanText(text), findAddresses(text)],
  'usernameText.ts': (text) => [normaliseUsername(text), mayBeName(text)],
  parseNumericText,
  // What models write.
  'toLeadText, WhatsApp': (text) => toLeadText(outgoing(text), 'whatsapp'),
  'toLeadText, Telegram': (text) => toLeadText(outgoing(text), 'plain'),
  parseablePieces,
  'parseMarkdown, a piece': (text) => parseablePieces(outgoing(text)).map(parseMarkdown),
  decodeText,
  'splitText, WhatsApp': (text) => splitText(outgoing(text), { limit: 4096, paragraphs: true, markup: 'whatsapp' }),
  'splitText, Telegram': (text) => splitText(outgoing(text), { limit: 4096, paragraphs: true, markup: 'plain' }),
  'splitText, in one': (text) => splitText(outgoing(text), { limit: 4096, paragraphs: false, markup: 'whatsapp' }),
  cutText: (text) => cutText(outgoing(text), { limit: 1000, markup: 'whatsapp' }),
  findWhatsAppSpans,
  'findAddresses of a message': (text) => findAddressesToKeep(text, 0, text.length),
  invalidReplyReason: (text) => invalidReplyReason(text, text),
  parseAnswer: (text) => parseAnswer(question, text),
  'parseAnswer, fenced': (text) => parseAnswer(question, `\`\`\`json\n${text}\n\`\`\``),
  checkQuotations: (text) =>
    checkQuotations({ lines: [text, `“${text}”`], quotes: [{ text, message_id: 1 }] }, [{ id: 1, text }]),
  withoutThoughts,
  'LeadingThought, in one piece': (text) => new LeadingThought().take(`<think>${text}`),
  'LeadingThought, in pieces': (text) => {
    const thought = new LeadingThought();
    for (let at = 0; at < text.length; at += 10)
      thought.take(at === 0 ? `<think>${text.slice(0, 10)}` : text.slice(at, at + 10));
    return thought.end();
  },
  errorMessage,
  isPage,
  vendorReason,
  refusedParameters: (text) => refusedParameters(text, { temperature: 1, tools: [], top_p: 1 }),
  // What models are given.
  toModelMessages: (text) => toModelMessages([message(text), { ...message(text), side: 'bot' }]),
  formatConversation: (text) => formatConversation([message(text)]),
  'the system prompt': (text) => readSystemPrompt(buildSystemPrompt(text, { ...FACTS, document: { a: text } }, [])),
  'renderTemplate, as a value': (text) =>
    renderTemplate({
      text: '{{ document.a }} {{ document.a | upcase | strip | split: " " | size }}',
      values: { ...FACTS, document: { a: text } },
      parts: {},
      forbidEmpty: false,
    }),
  'renderTemplate, as a template': (text) => renderTemplate({ text, values: FACTS, parts: {}, forbidEmpty: false }),
  subpromptNames,
  findTemplateErrors: (text) => findTemplateErrors(text),
  // What operators search and import.
  escapeLike,
  normalizeLineEndings,
  refuseUnstorable: (text) => {
    try {
      refuseUnstorable('body', { text });
    } catch {
      // It may refuse.
    }
  },
  // The studio.
  factsIn,
  unknownFacts: (text) => unknownFacts(factsIn(text), factsIn(text)),
  numbersIn,
  statedFacts,
  countWords,
  'readAnswer and differenceOf': (text) => differenceOf(answer(text), answer(`${text} 1`)),
  possibleLanguages,
  saysNearly: (text) => saysNearly(text, text),
  countQuestions,
  normalizeSpace,
  normalizeWording,
  'realism.ts': (text) => [styleOf([text, text]), agreementOf([[text]])],
  'createScrubber, a text': (text) => createScrubber(['Anna Ivanova', 'Max']).scrub(text),
  'createScrubber, a name': (text) => createScrubber([text.slice(0, 300)]).scrub(text),
};

/** Bytes of the longest text: no request has more. */
const LONGEST = 1_000_000;
/**
 * CPU time that one call may take on the longest text: a quarter of the lease after which a node counts as dead, on a
 * machine that does the reference in `REFERENCE_MS`. A slower machine gets more, since it says nothing about the work.
 */
const MAX_MS = 4000;
const REFERENCE_MS = 60;
const TRIES = 3;
const LETTER = /\p{L}/u;
/** Bytes of the shortest text, which no messenger takes in one message: what cuts texts does so from there on. */
const SHORTEST = 16_000;
const GROWTH = 4;
/** Linear work grows fourfold, quadratic work sixteenfold. */
const LINEAR_GROWTH = 7;

/** CPU milliseconds of this thread. */
function cost(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const PLAIN_TEXT = 'You wrote to 7 of us. '.repeat(100_000);

/** How many times as long as on the machine of `REFERENCE_MS` plain work takes now; at least 1. */
function slowness(): number {
  const ms = cost(() => {
    for (const letter of PLAIN_TEXT) LETTER.test(letter);
  });
  return Math.max(1, ms / REFERENCE_MS);
}

/** Whether each of several calls takes too long for the machine as it is then. */
function isTooSlow(work: () => unknown): boolean {
  for (let tries = 0; tries < TRIES; tries++) {
    const before = slowness();
    if (cost(work) < MAX_MS * Math.max(before, slowness())) return false;
  }
  return true;
}

/** Return a text of so many bytes. */
const textOf = (unit: string, [before, after]: readonly [string, string], bytes: number): string =>
  `${before}${unit.repeat(Math.ceil(bytes / Buffer.byteLength(unit)))}${after}`;

/**
 * Find a length at which a function takes too long on a shape; null if there is none up to 1 MB. Longer texts are tried
 * until it is certain. Unless `isWhole`, it is certain when the longest would not take too long even if the work grew with
 * the square of the text, or when it has grown as the text did, so that nearly every text of 1 MB is spared.
 */
export function findSlow(
  work: (text: string) => unknown,
  {
    unit,
    frame,
    isWhole,
  }: { readonly unit: string; readonly frame: readonly [string, string]; readonly isWhole: boolean },
): string | null {
  let shorter = 0;
  for (let bytes = SHORTEST; ; bytes = Math.min(bytes * GROWTH, LONGEST)) {
    const text = textOf(unit, frame, bytes);
    const ms = cost(() => work(text));
    if (ms > MAX_MS && isTooSlow(() => work(text)))
      return `${JSON.stringify(`${frame[0]}${unit}…${frame[1]}`)}: ${bytes} bytes take ${Math.round(ms)} ms`;
    if (bytes === LONGEST) return null;
    const longer = LONGEST / bytes;
    const hasGrownAsText = shorter > 0 && ms < shorter * LINEAR_GROWTH && ms * longer < MAX_MS / 2;
    if (!isWhole && (ms * longer ** 2 < MAX_MS || hasGrownAsText)) return null;
    shorter = ms;
  }
}
