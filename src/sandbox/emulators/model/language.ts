/** Words, sentences and intents in English and Russian: everything the sandbox's model knows of language. */

export type Language = 'en' | 'ru';

/** Return the language of most letters; null if there are none. */
export function languageOf(text: string): Language | null {
  const cyrillic = text.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (cyrillic + latin === 0) return null;
  return cyrillic >= latin ? 'ru' : 'en';
}

/** Abbreviations whose dot ends no sentence. */
const abbreviation =
  /(?<!\p{L})(?:ул|пр|просп|пер|пл|г|д|стр|корп|кв|им|руб|тыс|млн|тел|св|mr|mrs|ms|dr|st|no|vs|e\.g|i\.e)\.$/iu;

/** Split a text into sentences, trimmed, with their closing marks. Line ends close a sentence too. */
export function sentencesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const sentences: string[] = [];
    for (const piece of line.split(/(?<=[.!?…]["»”)]?)\s+(?=["«“(]?[\p{Lu}\p{N}])/u)) {
      const before = sentences.at(-1);
      if (before !== undefined && abbreviation.test(before)) sentences[sentences.length - 1] = `${before} ${piece}`;
      else sentences.push(piece.trim());
    }
    return sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  });
}

const stopWords = new Set(
  `a an the and or but of to in on at for with by from is are was were be been am do does did have has had i you he she it
   we they me my your our their this that these those there here what which who when where how why can could would will
   shall should may might not no yes so if then than as about into up out any some all just also very please hi hello hey
   thanks thank tell know want get got let us s t re ve ll m d more much many one too long take give make like
   and
   и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет
   о из ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь опять уж вам ведь там потом себя ничего ей
   может они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет ж тогда кто этот
   того потому этого какой какая какие ним здесь этом один мой тем чтобы нее сейчас были куда зачем это можно у вас ваш ваша
   ваши наш наша наши скажите подскажите пожалуйста здравствуйте привет добрый день хочу`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

const englishEndings = [
  'ations',
  'ation',
  'ings',
  'ing',
  'edly',
  'ments',
  'ment',
  'ness',
  'ies',
  'ied',
  'ed',
  'ly',
  'es',
  's',
  'y',
  'e',
];
const russianEndings = [
  'иями',
  'ями',
  'ами',
  'ого',
  'его',
  'ому',
  'ему',
  'ыми',
  'ими',
  'ешь',
  'ете',
  'ить',
  'ать',
  'ять',
  'еть',
  'ция',
  'ции',
  'ует',
  'ают',
  'яют',
  'ают',
  'ают',
  'ит',
  'ат',
  'ят',
  'ет',
  'ут',
  'ют',
  'ый',
  'ий',
  'ой',
  'ая',
  'яя',
  'ое',
  'ее',
  'ые',
  'ие',
  'ую',
  'юю',
  'ов',
  'ев',
  'ей',
  'ам',
  'ям',
  'ах',
  'ях',
  'ом',
  'ем',
  'ия',
  'ии',
  'ию',
  'ью',
  'ло',
  'ла',
  'ли',
  'а',
  'я',
  'ы',
  'и',
  'у',
  'ю',
  'е',
  'о',
  'ь',
  'й',
];

/** Return a simple stem, sufficient to match forms of one word. */
export function stem(word: string): string {
  const plain = word.toLowerCase().replaceAll('ё', 'е');
  const endings = /\p{Script=Cyrillic}/u.test(plain) ? russianEndings : englishEndings;
  const least = 3;
  for (const ending of endings) {
    if (plain.endsWith(ending) && plain.length - ending.length >= least) return plain.slice(0, -ending.length);
  }
  return plain;
}

/** Topics that questions and facts name in different words, and in two languages. */
const topics: [string, RegExp][] = [
  [
    '#price',
    /pric|cost|how much|fee|tariff|\$|€|₽|£|\busd\b|\beur\b|цен|стои|сколько (?:это )?(?:будет|стоит)|почем|тариф|руб|прайс/i,
  ],
  [
    '#time',
    /how long|how soon|\bdays?\b|\bweeks?\b|\bdeadline|duration|\b(?:it|this|that) takes?\b|сколько времени|как долго|срок|(?<!по)недел|(?<!\p{L})дн(?:я|ей|и)(?!\p{L})/iu,
  ],
  ['#hours', /working hours|opening|open (?:at|from|on)|weekend|часы работы|график|режим работы|выходн/i],
  ['#place', /where|address|locat|office|где|адрес|офис|находит|расположен|метро(?!\p{L})/iu],
  ['#delivery', /deliver|shipping|доставк/i],
  ['#payment', /\bpay|invoice|instal|card\b|expensive|дорог|оплат|рассроч|счет|карт(?:ой|а|у)/i],
  ['#trial', /trial|free|demo|try\b|пробн|бесплатн|демо|попробов/i],
  ['#guarantee', /guarant|warrant|refund|money back|гаранти|возврат/i],
  ['#discount', /discount|promo|cheaper|скидк|акци|дешевл/i],
  ['#integration', /integrat|connect|crm\b|api\b|интеграц|подключ/i],
  ['#support', /support|helpdesk|поддержк|техпод/i],
  ['#teacher', /teacher|tutor|coach|преподават|учител|тренер/i],
];

/** Return what a text is about: stems of its significant words, and topics (marked `#`). */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>();
  for (const word of text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (word.length > 1 && !stopWords.has(word)) terms.add(stem(word));
  }
  for (const [topic, pattern] of topics) if (pattern.test(text)) terms.add(topic);
  return terms;
}

export type Intent = 'opt_out' | 'refusal' | 'wrong_person' | 'agreement' | 'later' | 'interest';

/** In order of precedence: an opt-out comes first, «not interested» before «interested». */
const intents: [Intent, RegExp][] = [
  [
    'opt_out',
    /^\W*stop\W*$|\bstop (?:writing|messaging|texting|contacting|spamming|sending)|leave me alone|unsubscribe|(?:don'?t|do not) (?:write|text|message|contact|call|bother)|(?:remove|delete) (?:me|my number)|take me off|no more messages|(?<!\p{L})не пиш(?:и|ите)(?!\p{L})|отстань|отвали|отпишите|оставьте меня|(?:хватит|перестань(?:те)?|прекратите) (?:мне )?писать|не беспоко|удалите (?:мой|меня)|^\P{L}*стоп\P{L}*$/iu,
  ],
  ['wrong_person', /wrong (?:number|person)|you have the wrong|не тот номер|ошиблись номером|вы ошиблись/i],
  [
    'refusal',
    /not (?:really )?interested|no,? thank|(?:don'?t|do not) (?:need|want)|not for (?:me|us)|already have (?:one|a|it)|changed my mind|не (?:очень )?интересн|не (?:нужн|надо|хочу|подходит)|не ?актуальн|нет,? спасибо|спасибо,? (?:не|нет)|отказыва|передумал|откажусь/i,
  ],
  [
    'agreement',
    /let'?s (?:do it|start|go ahead|begin|book|sign|meet|schedule|try)|i(?:'ll| will) take|(?:i|we)(?: would|'d)? (?:want|like) to (?:buy|order|start|sign up|book|subscribe|pay)|sign me up|book me|send (?:me |us )?(?:the |an? )?(?:invoice|contract)|\bdeal\b|ready to (?:buy|start|pay|sign)|(?<!\p{L})беру(?!\p{L})|оформля|хочу (?:купить|заказать|записаться|начать|подключ|оплатить)|запишите|(?:выставляйте|присылайте|пришлите) (?:счет|счёт|договор)|готов(?:а|ы)? (?:купить|оплатить|начать|подписать)|договорились|давайте (?:(?:на|в|во) )?(?:начн|оформ|подпиш|запиш|замер|пробн|демо|созвон|встрет|завтра|понедельник|вторник|сред|четверг|пятниц|суббот|воскрес)|подключайте|куда (?:платить|оплат)/iu,
  ],
  [
    'later',
    /\blater\b|think (?:about|it over)|not now|next (?:week|month)|get back to|\bbusy\b|talk (?:it over|to my)|discuss|позже|(?<!\p{L})потом(?!\p{L})|подума|не сейчас|перезвон|на следующ|занят|посовет|обсуд/iu,
  ],
  [
    'interest',
    /interest|sounds? (?:good|great|nice|fine)|tell me more|more details|i like|\bcurious|\bgreat\b|\bcool\b|^\W*(?:yes|yeah|sure|ok(?:ay)?)\b|интерес|расскаж|подробн|здорово|отлично|звучит|нравит|(?<!\p{L})класс(?!\p{L})|^\P{L}*(?:да|конечно|хорошо|ок)(?!\p{L})/iu,
  ],
];

/** Return the strongest intent in a text; null if it only asks or chats. */
export function intentOf(text: string): Intent | null {
  return intents.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

export const isGreeting = (text: string): boolean =>
  /^\W*(?:hi|hello|hey|good (?:morning|day|afternoon|evening))\b|^\P{L}*(?:привет|здравств|добр(?:ый|ое|ого) (?:день|утро|вечер|дня))/iu.test(
    text,
  );

export const isThanks = (text: string): boolean => /\bthank|\bthx\b|спасибо|благодар/i.test(text);

export const asksWhetherBot = (text: string): boolean =>
  /are you (?:an? )?(?:bot|robot|human|real|ai\b|machine)|is this a bot|talking to a (?:bot|robot)|(?:ты|вы|это) (?:бот|робот|человек|живой)|с ботом/i.test(
    text,
  );

/** Return whether the text asks what is offered at all. */
export const asksAbout = (text: string): boolean =>
  /what (?:is|do you) (?:it|this|that|do|offer|sell)|what are you (?:offering|selling)|tell me (?:more )?about (?:it|you)|чем (?:вы )?занимаетесь|что (?:это|вы предлагаете|за компания)|расскажите (?:о|про)/i.test(
    text,
  );

/** Return whether a sentence expects an answer. */
export const isQuestion = (text: string): boolean =>
  /\?|^\W*(?:how|what|when|where|which|who|why|do|does|is|are|can|could|tell me|any)\b|^\P{L}*(?:как|что|где|когда|сколько|какой|какая|какие|кто|почему|зачем|можно|есть ли|расскажите|подскажите|а )/iu.test(
    text,
  );
