/** Extracts the first name from a lead's name. Shared by server and browser. */
import { normalizeText } from '../platform/normalizeText.ts';

/** Words that mark a company name, in any script. */
const COMPANY_WORDS = new Set(
  `ооо оао зао ао пао ип тоо нко llc ltd limited inc corp corporation gmbh ag kg sa srl bv oy ab co plc company group
   studio shop store agency bank hotel clinic school фирма компания группа студия магазин салон агентство банк отель
   клиника школа завод центр клуб`.split(/\s+/),
);
/** Placeholders used where a name is not known. */
const PLACEHOLDERS = new Set(
  `lead client customer guest unknown user test nobody name contact deal лид клиент покупатель гость неизвестно неизвестный
   тест имя контакт сделка заявка без`.split(/\s+/),
);
/** Forms of address and titles before a name. */
const TITLES = new Set('mr mrs ms miss mx dr prof sir herr frau г-н г-жа господин госпожа доктор д-р проф'.split(' '));
/** Particles that begin a family name: the first word is not a given name. */
const PARTICLES = new Set('van von der de del della di da dos du la le el al bin ibn'.split(' '));

/**
 * Common given names, in both scripts. They distinguish 'Ivanov Ivan' from 'Ivan Ivanov', and 'Marina' from a family
 * name.
 */
const GIVEN_NAMES = new Set(
  `александр алексей анатолий андрей антон аркадий арсений артём артем артур богдан борис вадим валентин валерий василий
   вениамин виктор виталий владимир владислав всеволод вячеслав геннадий георгий герман глеб григорий давид данил даниил
   денис дмитрий евгений егор иван игорь илья иннокентий кирилл константин лев леонид макар максим марат марк мартин матвей
   михаил никита николай олег павел пётр петр платон роман руслан савелий севастьян семён семен сергей станислав степан
   тимофей тимур тихон фёдор федор филипп эдуард юрий яков ян ярослав кристиан себастьян бенджамин остин кевин
   александра алина алиса алла альбина анастасия ангелина анна антонина арина валентина валерия варвара василина вера
   вероника виктория галина дарина дарья диана дина евгения ева екатерина елена елизавета жанна зинаида злата зоя инна ирина
   карина кира клавдия кристина ксения лариса лидия лилия лина любовь людмила маргарита марина мария милана надежда
   наталья наталия нина оксана олеся ольга полина раиса регина светлана софия софья таисия тамара татьяна ульяна эвелина
   юлия яна ярослава мартина сабрина
   alexander aleksandr alexey aleksey alexei andrey andrei anton arkady artem artyom artur boris bogdan vadim valentin valery
   vasily viktor victor vitaly vladimir vladislav vyacheslav gennady georgy gleb grigory daniil danil denis dmitry dmitri
   dmitriy evgeny evgeniy yevgeny egor ivan igor ilya kirill konstantin lev leonid maxim maksim mark martin matvey mikhail
   nikita nikolay nikolai oleg pavel peter petr pyotr roman ruslan semyon sergey sergei stanislav stepan timofey timur fyodor
   fedor filipp eduard yuri yury yakov yan yaroslav alexandra aleksandra alina alisa alla anastasia anastasiya angelina anna
   antonina arina valentina valeria varvara vera veronika victoria viktoria galina daria darya diana dina eva ekaterina elena
   elizaveta evgenia zhanna zoya inna irina karina kira kristina christina ksenia larisa lidia lilia lina lyudmila margarita
   marina maria mariya nadezhda natalia natalya nina oksana olesya olga polina regina svetlana sofia sofya tamara tatiana
   tatyana ulyana yulia julia yana benjamin kevin justin austin calvin colin edwin erin robin franklin marvin melvin quentin
   devin gavin collin darin corin katrina carolina georgina sabrina martina gina tina geneva kristin caitlin bronislav`.split(
    /\s+/,
  ),
);

const PATRONYMIC = /(?:[оеё]вич|ьич|мич|[оеё]вна|ична|оглы|кызы|[oe]vich|yevich|[oe]vna|ichna|oglu|kyzy)$/u;
/** Endings that hardly anything but family names has. */
const FAMILY_NAME =
  /(?:[оеё]ва?|ск(?:ий|ая|ой)|цк(?:ий|ая|ой)|енко|чук|ых|швили|дзе|[oe]va?|[st]sk(?:y|iy|ii|i|aya|aia)|enko|chuk|ykh|shvili|dze)$/u;
/** Endings that family names and given names share. */
const MAYBE_FAMILY_NAME = /(?:[иы]на?|юк|ян|[iy]na?|yuk|yan|ian)$/u;

/**
 * Return the name to address a lead by, from a name as typed or imported: `Anna` for 'Anna Petrova', 'Петрова Анна
 * Сергеевна', 'Petrova, Anna' and 'Mrs Anna Petrova'. Returns an empty string if there is none or it cannot be
 * distinguished from the family name: a company, a lone family name, initials, a nickname with digits.
 */
export function firstName(name: string): string {
  const letters = name.replaceAll(/\p{Extended_Pictographic}|\p{Cf}|\p{Variation_Selector}/gu, ' ');
  const plain = normalizeText(letters, 'NFC').trim();
  if (/[\d@&+"«»“”„/\\|_#]/u.test(plain)) return '';
  const [family = [], givenPart, ...more] = plain.split(',').map(wordsOf);
  if (more.length > 0) return '';
  const chosen = givenPart === undefined ? chooseWord(family) : givenPart[0];
  const all = [...family, ...(givenPart ?? [])];
  if (chosen === undefined || all.some((word) => COMPANY_WORDS.has(keyOf(word)) || PLACEHOLDERS.has(keyOf(word))))
    return '';
  return isName(chosen) ? fixCase(chosen) : '';
}

const wordsOf = (part: string): string[] => part.split(/\s+/).filter((word) => word !== '' && !TITLES.has(keyOf(word)));
const keyOf = (word: string): string => word.toLowerCase().replaceAll(/[().]/g, '');
/** Check for letters with hyphens or apostrophes between them; an initial is not a name. */
const isName = (word: string): boolean =>
  /^\p{L}[\p{L}\p{M}]*(?:[-'’]\p{L}[\p{L}\p{M}]*)*$/u.test(word) && (word.length > 1 || /\p{Lo}/u.test(word));

function chooseWord(words: readonly string[]): string | undefined {
  const [first, second] = words;
  if (first === undefined || words.length > 4 || PARTICLES.has(first)) return undefined;
  const keys = words.map(keyOf);
  const patronymic = keys.findIndex((word, index) => index > 0 && PATRONYMIC.test(word));
  const isGivenName = (index: number) => GIVEN_NAMES.has(keys[index] ?? '');
  if (isGivenName(0)) return first;
  // The patronymic follows the given name, whether the family name comes first or last.
  if (patronymic > 0) return words[patronymic - 1];
  const [one = '', two = ''] = keys;
  if (FAMILY_NAME.test(one) || PATRONYMIC.test(one))
    return second !== undefined && !FAMILY_NAME.test(two) ? second : undefined;
  return MAYBE_FAMILY_NAME.test(one) && isGivenName(1) ? second : first;
}

/** Capitalise a word that is all upper or all lower case. */
function fixCase(word: string): string {
  if (word !== word.toLowerCase() && word !== word.toUpperCase()) return word;
  return word
    .toLowerCase()
    .replaceAll(/(^|[-'’])(\p{L})/gu, (_match, before: string, letter: string) => before + letter.toUpperCase());
}
