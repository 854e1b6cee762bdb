/**
 * All that the sandbox's scripted model knows of language, in English and Russian. It is not a language model: the
 * first rule whose words occur in the lead's messages decides stage and answer, and questions are answered with
 * sentences of the prompt about the same topic or in the same words.
 */
export type Language = 'en' | 'ru';

export interface Rule {
  readonly words: RegExp;
  readonly stage: 'ongoing' | 'pending' | 'success' | 'refused' | 'failed';
  readonly reason: string;
  readonly says: Readonly<Record<Language, string>>;
  /** `alone`: the whole answer. `last`: ends the answer. `more`: a fact and a question follow. */
  readonly use: 'alone' | 'last' | 'more';
}

/** The lead asks for no more messages at all. */
export const OPT_OUT: Rule = {
  words:
    /^\W*stop\W*$|\bstop (?:writing|messaging)|leave me alone|unsubscribe|(?:don'?t|do not) (?:write|message|contact)|no more messages|(?<!\p{L})не пиш|отстань|оставьте меня|не беспоко|^\P{L}*стоп\P{L}*$/iu,
  stage: 'refused',
  reason: 'The lead wishes to be left alone',
  says: {
    en: 'Sorry to have bothered you, we will not write again.',
    ru: 'Извините за беспокойство, больше не напишем.',
  },
  use: 'alone',
};

export const RULES: readonly Rule[] = [
  OPT_OUT,
  {
    words: /wrong (?:number|person)|не тот номер|ошиблись/i,
    stage: 'failed',
    reason: 'The lead is not whom we meant to write to',
    says: {
      en: 'Sorry, it seems I have the wrong contact. Have a good day!',
      ru: 'Извините, похоже, я ошибся контактом. Хорошего дня!',
    },
    use: 'alone',
  },
  {
    words:
      /not (?:really )?interested|no,? thank|(?:don'?t|do not) (?:need|want)|changed my mind|не ?(?:интересн|нужн|надо|хочу|актуальн)|нет,? спасибо|передумал/i,
    stage: 'refused',
    reason: 'The lead declines',
    says: {
      en: 'I understand, thank you for telling me. If anything changes, just write here. All the best!',
      ru: 'Понимаю, спасибо, что сказали. Если что-то изменится, просто напишите сюда. Всего доброго!',
    },
    use: 'alone',
  },
  {
    words:
      /let'?s (?:do|start|begin|book|meet|try)|i(?:'ll| will) take|(?:want|like|ready) to (?:buy|order|book|pay)|sign me up|book me|send (?:me |us )?(?:the |an? )?(?:invoice|contract)|(?<!\p{L})беру(?!\p{L})|(?:хочу|готовы?|готова) (?:купить|заказать|оплатить)|оформ|запишите|договорились|давайте (?:начн|запиш)|(?:присылайте|пришлите) (?:счет|счёт|договор)/iu,
    stage: 'success',
    reason: 'The lead agrees to the next step',
    says: {
      en: "Great, let's do it! A colleague will contact you here to settle the details.",
      ru: 'Отлично, договорились! Коллега напишет вам здесь, чтобы согласовать детали.',
    },
    use: 'last',
  },
  {
    words: /\blater\b|think (?:about|it over)|not now|next (?:week|month)|\bbusy\b|позже|подума|не сейчас|занят|обсуд/i,
    stage: 'pending',
    reason: 'The lead puts the decision off',
    says: {
      en: 'Of course, take your time. I will be here when it suits you.',
      ru: 'Конечно, не торопитесь. Напишите, когда вам будет удобно.',
    },
    use: 'last',
  },
  {
    words: /sounds? (?:good|great|nice)|interest|tell me more|интерес|расскаж|подробн|отлично/i,
    stage: 'ongoing',
    reason: 'The lead shows interest',
    says: { en: 'Glad to hear that!', ru: 'Рады это слышать!' },
    use: 'more',
  },
  {
    words: /are you (?:an? )?(?:bot|robot|human|real)|(?:ты|вы) (?:бот|робот|человек)/i,
    stage: 'ongoing',
    reason: 'The lead asks who writes',
    says: {
      en: 'I am a virtual assistant; a colleague can join us at any moment.',
      ru: 'Я виртуальный помощник; коллега может подключиться в любой момент.',
    },
    use: 'more',
  },
];

/** When a human is asked for, if the request has a tool for that; agreeing is one of `RULES`. */
export const HUMAN_REASONS: readonly (readonly [reason: string, words: RegExp])[] = [
  [
    'threatens',
    /\b(?:sue you|lawyers?|police|legal action|report you|scam(?:mers?)?|fraud|unacceptable)\b|\bcomplain|you (?:to|in) court|в суд(?!\p{L})|адвокат|юрист|полици|прокуратур|роспотреб|жалоб|пожалуюсь|жаловат|мошенни/iu,
  ],
  [
    'asked_for_human',
    /\b(?:talk|speak|chat|transfer me|put me through|connect me)\b[^.?!\n]{0,30}\b(?:human|person|manager|operator|agent|somebody|someone)\b|\b(?:want|need|get me|give me|call|is there)\b(?: an?| the| your| any)?(?: real| live)? (?:human|person|manager|operator|agent)\b|\bmanager,? please|(?:позов|соедин|переключ|перевед|пригласи|поговор|пообща|связать|свяжит)[^.?!\n]{0,30}(?:человек|менеджер|оператор|сотрудник|консультант)|(?:дайте|нуж[еа]н|хочу|можно)[^.?!\n]{0,20}(?:живо(?:й|го) человек|менеджер|оператор|консультант)|^\P{L}*(?:менеджер|оператор)а?\P{L}*(?:пожалуйста)?\P{L}*$/iu,
  ],
];

export const PHRASES = {
  en: {
    hello: 'Hello',
    unknown: 'I will check that with a colleague and come back to you.',
    anything: 'What would you like to know?',
  },
  ru: {
    hello: 'Здравствуйте',
    unknown: 'Уточню это у коллеги и вернусь к вам с ответом.',
    anything: 'Что вам рассказать?',
  },
} as const satisfies Record<Language, unknown>;

/** Words that question and answer do not share: «how much» is answered by a price. */
export const TOPICS: readonly (readonly [topic: string, words: RegExp])[] = [
  ['#price', /pric|cost|how much|\$|€|euros?\b|цен|стои|сколько стоит|евро|руб/i],
  ['#time', /how (?:long|soon|fast)|\bdays?\b|\bweeks?\b|как долго|срок|(?<!\p{L})(?:недел|дн(?:я|ей)(?!\p{L}))/iu],
  ['#hours', /hours|\bopen\b|работае(?:т|те)(?!\p{L})|выходн/iu],
  ['#place', /where|address|адрес|где|находит/i],
  ['#delivery', /deliver|доставк/i],
  ['#payment', /\bpay|invoice|instal|card\b|оплат|рассроч|счет|счёт/i],
  ['#trial', /trial|\btry\b|пробн|попробов/i],
  ['#warranty', /guarant|warrant|гаранти/i],
  ['#discount', /discount|скидк/i],
];

/** Sentences of a prompt that instruct the model, and so are no facts to tell. */
export const INSTRUCTION =
  /^(?:you (?:are|write|advise|sell|judge)|answer|be|do not|never|always|keep|ask|write|say|use|if|the block below|it and the messages|ты|вы|отвечай|пиши|будь|не|никогда|спрашивай|если)(?!\p{L})/iu;

/** What a message has to look like to be a question. */
export const QUESTION = /\?|^\W*(?:how|what|when|where|which|who|why|do|is|are|can|could)\b/i;

export const GREETING = /^\W*(?:hi|hello|hey|good (?:morning|day|evening))\b|^\P{L}*(?:привет|здравств|добрый)/iu;

/** Words that are about nothing. */
export const STOP_WORDS = new Set(
  `a an the and or but of to in on at for with by from is are was be been am do does did have has had i you he she it we
   they me my your our their this that these there what which who when where how why can could will would may any some
   all just also very please hi hello and so if then as about into out up let us no yes not
   и в не что он на я с со как а то все она так но да ты к у же вы за бы по ее мне было вот от меня о из ему ли если или
   быть до вас для мы их чем есть это какой какая какие когда где можно ваш ваша ваши сколько`.split(/\s+/),
);
