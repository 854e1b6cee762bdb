/** The first name in a lead's name. The same for both halves. */

/** Marks of a company, in any script; a person is not addressed by one. */
const COMPANY_WORDS = new Set(
  `ооо оао зао ао пао ип тоо нко llc ltd limited inc corp corporation gmbh ag kg sa srl bv oy ab co plc company group
   studio shop store agency bank hotel clinic school фирма компания группа студия магазин салон агентство банк отель
   клиника школа завод центр клуб`.split(/\s+/),
);
/** Stands where a name is not known. */
const PLACEHOLDERS = new Set(
  `lead client customer guest unknown user test nobody name contact deal лид клиент покупатель гость неизвестно неизвестный
   тест имя контакт сделка заявка без`.split(/\s+/),
);
/** Forms of address and titles before a name. */
const TITLES = new Set('mr mrs ms miss mx dr prof sir herr frau г-н г-жа господин госпожа доктор д-р проф'.split(' '));
/** Begin a family name, so that the given name is not there. */
const PARTICLES = new Set('van von der de del della di da dos du la le el al bin ibn'.split(' '));

/** Common given names, in both scripts: they tell 'Ivanov Ivan' from 'Ivan Ivanov', and 'Marina' from a family name. */
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
/** Family names that hardly anything else ends like. */
const FAMILY_NAME =
  /(?:[оеё]ва?|ск(?:ий|ая|ой)|цк(?:ий|ая|ой)|енко|чук|ых|швили|дзе|[oe]va?|[st]sk(?:y|iy|ii|i|aya|aia)|enko|chuk|ykh|shvili|dze)$/u;
/** Endings of family names and of given names alike. */
const MAYBE_FAMILY_NAME = /(?:[иы]на?|юк|ян|[iy]na?|yuk|yan|ian)$/u;

/**
 * The name by which a person is addressed, out of a name as it was typed or imported: `Anna` of 'Anna Petrova',
 * 'Петрова Анна Сергеевна', 'Petrova, Anna' and 'Mrs Anna Petrova'. Empty where there is none, or where it cannot be
 * told from the family name: a company, a lone family name, initials, a nickname with digits.
 */
export function firstName(name: string): string {
  const plain = name
    .replaceAll(/\p{Extended_Pictographic}|\p{Cf}|\p{Variation_Selector}/gu, ' ')
    .normalize('NFC')
    .trim();
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
/** Letters with hyphens or apostrophes between them; no initial. */
const isName = (word: string): boolean =>
  /^\p{L}[\p{L}\p{M}]*(?:[-'’]\p{L}[\p{L}\p{M}]*)*$/u.test(word) && (word.length > 1 || /\p{Lo}/u.test(word));

function chooseWord(words: readonly string[]): string | undefined {
  const [first, second] = words;
  if (first === undefined || words.length > 4 || PARTICLES.has(first)) return undefined;
  const keys = words.map(keyOf);
  const patronymic = keys.findIndex((word, index) => index > 0 && PATRONYMIC.test(word));
  const isGivenName = (index: number) => GIVEN_NAMES.has(keys[index] ?? '');
  if (isGivenName(0)) return first;
  // Behind a given name stands the name of the father, in either order of the others.
  if (patronymic > 0) return words[patronymic - 1];
  const [one = '', two = ''] = keys;
  if (FAMILY_NAME.test(one) || PATRONYMIC.test(one))
    return second !== undefined && !FAMILY_NAME.test(two) ? second : undefined;
  return MAYBE_FAMILY_NAME.test(one) && isGivenName(1) ? second : first;
}

/** As a name is written, where it came all in one case. */
function fixCase(word: string): string {
  if (word !== word.toLowerCase() && word !== word.toUpperCase()) return word;
  return word
    .toLowerCase()
    .replaceAll(/(^|[-'’])(\p{L})/gu, (_match, before: string, letter: string) => before + letter.toUpperCase());
}
