/** Finds the language that a text is written in, without a model. Pure. */
import type { caseLanguages } from './caseContract.ts';
import { withoutLinks } from './facts.ts';

type KnownLanguage = (typeof caseLanguages)[number];

/**
 * Return the language of a text: one of those a requirement can name, `other` for another script, or null if the text is
 * too short to say (`👍`, `OK`).
 */
export function languageOf(text: string): KnownLanguage | 'other' | null {
  const letters = withoutLinks(text).toLowerCase();
  const count = (pattern: RegExp): number => letters.match(pattern)?.length ?? 0;
  const [latin, cyrillic, all] = [count(/\p{Script=Latin}/gu), count(/\p{Script=Cyrillic}/gu), count(/\p{L}/gu)];
  const others = all - latin - cyrillic;
  // A word of another script says less per letter than one in Chinese says per sign.
  if (others >= 4 && others > (latin + cyrillic) / 2) return 'other';
  const isCyrillic = cyrillic >= latin;
  const candidates = isCyrillic ? CYRILLIC : LATIN;
  const words = letters.match(/[\p{L}\p{M}]+(?:['’][\p{L}]+)?/gu) ?? [];
  const scores = candidates
    .map((language) => ({ language, score: scoreOf(language, words, letters) }))
    .toSorted((one, other) => other.score - one.score);
  const [best, second] = scores;
  if (best && best.score > (second?.score ?? 0)) return best.language;
  // Russian has few letters of its own; a text of Cyrillic words without letters of the others is most likely Russian.
  return isCyrillic && cyrillic >= 8 && best?.score === second?.score && best?.score === 0 ? 'ru' : null;
}

const CYRILLIC = ['ru', 'uk', 'kk'] as const satisfies readonly KnownLanguage[];
const LATIN = ['en', 'es', 'de', 'fr', 'tr'] as const satisfies readonly KnownLanguage[];

/** Letters that, among languages of the same script, occur in this one alone or nearly so. */
const LETTERS: Readonly<Partial<Record<KnownLanguage, RegExp>>> = {
  ru: /[ыэёъ]/g,
  uk: /[їєґ]|\p{L}’\p{L}/gu,
  kk: /[әғқңөұүһ]/g,
  es: /[ñ¿¡]|ción/g,
  de: /ß|[äö]/g,
  fr: /[èêàùœ]|ç(?!i)|\b(?:qu|l|d|j|n|c|s)['’]/g,
  tr: /[ğış]/g,
};

/** A word counts twice as much as a letter: letters repeat, and names bring foreign ones. */
function scoreOf(language: KnownLanguage, words: readonly string[], text: string): number {
  const frequent = WORDS[language];
  const hits = words.filter((word) => frequent.has(word)).length;
  const pattern = LETTERS[language];
  return 2 * hits + (pattern ? (text.match(pattern)?.length ?? 0) : 0);
}

const wordsOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Frequent words, and those that short messages to a customer are made of. */
const WORDS: Readonly<Record<KnownLanguage, ReadonlySet<string>>> = {
  en: wordsOf(`the a an and or but of to in on at for with by from is are was were be been am do does did have has had i
    you he she it we they me my your our their this that these those there what which who when where how why can could
    will would may should not no yes if then so just also very more much any all some please hi hello hey thanks thank
    great good sure sorry price cost costs today tomorrow week weeks day days call message let us help need want like
    know look forward best regards welcome i'm you're we're don't it's that's let's i'll we'll`),
  ru: wordsOf(`и в не что он на я с со как а то все всё она так но да ты к у же вы за бы по её мне было вот от меня о из
    ему ли если уже или быть был до вас для мы их чем есть это при без вам нам ваш ваша ваши наш наши какой какая какие
    когда где можно можем нужно очень только ещё еще здравствуйте привет добрый день спасибо пожалуйста хорошо стоит
    цена рублей также после чтобы могу хотите сегодня завтра`),
  uk: wordsOf(`і й та в у не що він на я з як а то все вона так але ти до ж ви за б по її мені було від мене про із йому
    чи якщо вже або бути був вас для ми їх є це при без вам нам ваш ваша ваші наш наші який яка які коли де можна
    потрібно дуже тільки ще вітаю привіт добрий день дякую дякуємо прошу добре коштує ціна гривень також після щоб можу
    хочете сьогодні завтра будь ласка`),
  kk: wordsOf(`және мен бұл сіз сізге сіздің біз біздің бар жоқ үшін деп не қалай қанша қашан қайда ма ме ба бе па пе да
    де та те бір сәлем сәлеметсіз сәлеметсізбе рахмет иә өте жақсы баға бағасы теңге болады керек осы ол оның егер немесе
    бірақ ғана тағы кейін бүгін ертең`),
  es: wordsOf(`el la los las un una unos de del que y a en se no por con para su sus lo como más pero le ya o este esta
    sí porque esto entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante todos uno les ni
    contra ese eso qué cómo cuánto cuesta precio hola gracias buenos buenas días tardes usted ustedes puede puedo
    tenemos es son está están al mi tu te si hoy mañana favor`),
  de: wordsOf(`der die das und oder aber von zu in im am an auf für mit bei aus ist sind war waren sein bin habe hat
    haben ich du er sie es wir ihr mir mich dir dich uns euch ihnen ihre ihren unser mein dein dieser diese dieses was
    welche wer wann wo wie warum kann können wird werden würde nicht kein keine ja nein wenn dann so auch sehr mehr nur
    noch bitte hallo guten tag danke gern gerne preis kostet heute morgen den dem des ein eine einen einem einer nach`),
  fr: wordsOf(`le la les un une des de du et ou mais à au aux en dans sur pour avec par est sont était être je tu il elle
    nous vous ils elles me te se mon ton son notre votre vos nos leur ce cette ces que qui quoi quand où comment
    pourquoi combien peut peux pouvez pouvons pas ne non oui si alors aussi très plus bonjour merci salut prix coûte
    aujourd'hui demain s'il plaît bien c'est j'ai n'est qu'il d'un d'une l'on`),
  tr: wordsOf(`ve bir bu da de için ile mi mı mu mü ne nasıl kadar kaç var yok siz size sizin biz bize bizim ben bana
    benim sen çok daha en ama veya gibi olarak olan olur evet hayır merhaba selam teşekkürler teşekkür ederim ederiz
    lütfen iyi günler fiyat fiyatı ücret bugün yarın hangi neden nerede şu o ise değil misiniz mısınız musunuz`),
};
