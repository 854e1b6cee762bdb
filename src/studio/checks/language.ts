/**
 * Which of the languages of the contract a text may be in, by its letters and its most frequent words. Short texts of a
 * messenger often show nothing: then all of them are possible. Pure.
 */
import type { caseLanguages } from '../caseContract.ts';

type Language = (typeof caseLanguages)[number];

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Words that are frequent in one language and rare in those with the same letters. */
const FREQUENT: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: words(
    'the and you your is are we our to of for with this that have has can will would what how when it from be do does not please thanks thank hello i my which there if but at on as an by us or yes let know about been week weeks day days month months cost costs price take takes course sorry write send all best like work works free more here help great tomorrow open could should any just only out up so they their he she his her was were no want need get make good one time today',
  ),
  es: words(
    'el los las una y que usted su es son nosotros nuestro nuestra de del con por para esta tiene puede puedo podemos qué cómo cuándo gracias hola yo pero sí al lo le les más muy está hay cuesta desde también quiere buenos días semana semanas mes meses precio claro supuesto favor mañana gratis perdone bien gustaría abre tarda entrega un se no hasta aquí señor señora ayudarle si en',
  ),
  de: words(
    'der die das und sie ihr ihre ihnen ist sind wir unser unsere von mit für dieser diese haben hat kann können wird werden was wie wann ich mein nicht bitte danke hallo ein eine einen zu im am auf aber wenn oder ja auch es uns kostet ab gerne noch den dem des bei bis um nach aus woche wochen tag tage monat monate preis uhr natürlich möchten guten gute alles morgen kostenlos sich so nur schon mehr man geht dauert melde',
  ),
  fr: words(
    'le les une et vous votre vos est sont nous notre nos de du des avec pour ce cette ces avez peut pouvez puis-je que qui quoi comment quand je mon ma pas merci bonjour mais oui au aux sur dans il elle ne plus très coûte à où semaine semaines mois jour jours prix bien sûr demain gratuitement heure heures bonne journée parfait désolé partir cela ici la un si',
  ),
  tr: words(
    've bir bu siz size sizin biz bizim için ile var yok mı mi mu mü ne nasıl kaç ben benim değil lütfen teşekkürler merhaba ama da de evet hayır daha çok olarak olan kadar gibi musunuz misiniz hafta gün ay fiyat fiyatı tabii ki iyi günler saat yarın ücretsiz uygun hangi nerede sonra önce en başlar olabilirim istersiniz altı',
  ),
  ru: words(
    'и в не на я что это как вы ваш ваша вам вас мы наш наша нас с для по от до у к о за из есть можно будет да нет или но если также чем при так уже где когда сколько какой какая спасибо здравствуйте пожалуйста все ещё еще он она они его её могу можем стоит неделя недели недель день дня дней цена цены конечно завтра бесплатно удобно добрый больше очень только хорошо работает отлично напишет наши ваши того этого быть',
  ),
  uk: words(
    'і й в у не на я що це як ви ваш ваша вам вас ми наш наша нас з із для по від до та є можна буде так ні або але якщо також при вже де коли скільки який яка дякую дякуємо вітаю будь ласка всі ще він вона вони його її чи про можу можемо коштує тиждень тижні тижнів день дні днів ціна звичайно звісно завтра безкоштовно зручно добрий більше дуже тільки добре працює чудово напише тут',
  ),
  kk: words(
    'және бұл сіз сізге сіздің біз біздің үшін мен бар жоқ қалай қашан қанша не емес рақмет сәлеметсіз бе ба ма ме па пе де да бір осы болады керек деп туралы бойынша дейін бастап иә тағы өте сәлем апта күн ай баға әрине ертең сағат тегін жақсы енді сізден бізде',
  ),
};

const LATIN: readonly Language[] = ['en', 'es', 'de', 'fr', 'tr'];
const CYRILLIC: readonly Language[] = ['ru', 'uk', 'kk'];

/** Letters that only some of the languages have. */
const LETTERS: readonly (readonly [RegExp, readonly Language[]])[] = [
  [/[ßäẞ]/giu, ['de']],
  [/[ñ¿¡]/giu, ['es']],
  [/[ışğİ]/gu, ['tr']],
  [/[àèùâêîôûœë]/giu, ['fr']],
  [/[áíóú]/giu, ['es']],
  [/ç/giu, ['fr', 'tr']],
  [/ö/giu, ['de', 'tr']],
  [/ü/giu, ['de', 'tr', 'es']],
  [/é/giu, ['fr', 'es']],
  [/[ыэёъ]/giu, ['ru', 'kk']],
  [/[әғқңөұүһ]/giu, ['kk']],
  [/[їєґ]/giu, ['uk']],
  [/і/giu, ['uk', 'kk']],
];

/** Cyrillic letters that a text of these languages has in no word but a name. */
const FOREIGN_LETTERS: Readonly<Partial<Record<Language, RegExp>>> = {
  ru: /[іїєґәғқңөұүһ]/iu,
  uk: /[ыэёъәғқңөұүһ]/iu,
  kk: /[їєґ]/iu,
};

/** Links, addresses, accounts and placeholders are in no language. An address is only sought where a word begins: at every letter of a long word, it would take minutes. */
const NOT_WORDS = /(?:https?:\/\/|www\.)\S+|(?<!\S)\S+@\S+|@\w+|\[\w+\]/gi;

/** Letters of words that begin in lower case, below which Latin script proves nothing: names are often in it. */
const LEAST_LETTERS = 8;
/** A text that is all Cyrillic has at least so many. */
const LEAST_CYRILLIC = 4;
/** The share of the letters that has to be of another script. */
const OTHER_SCRIPT = 0.8;
/** How much more a language has to score than another for that one to be ruled out, and at least. */
const LEAST_SCORE = 1.5;
const CLEAR_SHARE = 2;

/**
 * Return the languages that a text may be in. All of them: it shows too little. None: it is in another language, by its
 * script.
 */
export function possibleLanguages(text: string): ReadonlySet<Language> {
  const all = [...LATIN, ...CYRILLIC];
  const plain = text.replaceAll(NOT_WORDS, ' ');
  const found = plain.match(/\p{L}[\p{L}\p{M}'’]*/gu) ?? [];
  // Writing systems without capitals have no names that stand out.
  const letters = found.filter((word) => !/^\p{Lu}/u.test(word)).join('');
  const share = (script: RegExp) => (letters.match(script)?.length ?? 0) / Math.max(letters.length, 1);
  const latin = share(/\p{Script=Latin}/gu);
  const cyrillic = share(/\p{Script=Cyrillic}/gu);
  const isClear = letters.length >= LEAST_LETTERS;
  const isOther = 1 - latin - cyrillic >= OTHER_SCRIPT && letters.length >= LEAST_LETTERS / 3;
  if (isOther) return new Set();
  const isCyrillic =
    found.join('').length >= LEAST_CYRILLIC && !/\p{Script=Latin}/u.test(plain) && /\p{Script=Cyrillic}/u.test(plain);
  const scripts =
    isCyrillic || (isClear && cyrillic >= OTHER_SCRIPT) ? CYRILLIC : isClear && latin >= OTHER_SCRIPT ? LATIN : all;
  const script = scripts.filter((language) => !FOREIGN_LETTERS[language]?.test(letters));
  const scores = new Map(script.map((language) => [language, scoreOf(language, plain, found)]));
  const best = Math.max(...scores.values());
  if (best < LEAST_SCORE) return new Set(script);
  return new Set(script.filter((language) => (scores.get(language) ?? 0) * CLEAR_SHARE > best));
}

/** Count a language's frequent words, and the letters that speak for it: a word has at most one of each. */
function scoreOf(language: Language, text: string, found: readonly string[]): number {
  const frequent = found.filter((word) => FREQUENT[language].has(word.toLowerCase())).length;
  const letters = LETTERS.reduce((sum, [pattern, languages]) => {
    const count = Math.min(text.match(pattern)?.length ?? 0, 3);
    return sum + (languages.includes(language) ? count / languages.length : 0);
  }, 0);
  return frequent + letters;
}
