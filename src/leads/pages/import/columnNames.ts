/**
 * Reads the names of a file's columns. A column is only a lead's own if every word of its name is understood: many files
 * have the names and phone numbers of managers, companies and deals beside those of their leads. Pure.
 */

export type NamePart = 'first' | 'middle' | 'last' | 'whole';

export type ColumnName =
  | { readonly target: 'crm_id' | 'timezone' | 'tags' }
  /** `isCertain`: no word of it is unknown, so the addresses are not another person's. */
  | { readonly target: 'whatsapp' | 'telegram'; readonly isCertain: boolean }
  | { readonly target: 'name'; readonly isCertain: boolean; readonly part: NamePart; readonly rank: number };

const EXACT: readonly (readonly ['crm_id' | 'timezone' | 'tags', RegExp])[] = [
  ['timezone', /time.?zone|часовой|таймзон/i],
  ['tags', /^(tags?|labels?|теги?|тэги?|метк[аи])$/i],
  ['crm_id', /^(crm.?id|id|(deal|lead|сделк\S*|лид\S*).?id|id.?(deal|lead|сделк\S*|лид\S*))$/i],
];

/** Match a whole word. `~` stands for any ending, since many languages inflect. */
const words = (...sources: string[]): RegExp =>
  new RegExp(`^(?:${sources.join('|').replaceAll(' ', '|').replaceAll('~', '\\p{L}*')})$`, 'u');

/** People and things that are not the lead. */
const OTHERS = words(
  'manager~ assistant~ responsible sponsor~ owner~ boss~ supervisor~ referr~ agents? broker~ seller~ salesperson sales rep~',
  'operator~ curator~ author~ creator~ created driver~ courier~ director~ secretar~ emergency partner~ employee~ employer~',
  'менеджер~ ассистент~ помощник~ ответственн~ спонсор~ куратор~ руководител~ директор~ бухгалтер~ секретар~ оператор~',
  'автор~ созда~ агент~ риелтор~ риэлтор~ продав~ водител~ курьер~ партнер~ наставник~ пригласи~ рекоменд~ сотрудник~',
  'compan~ organi[sz]ation~ org firm~ компани~ организаци~ фирм~ юрлиц~ предприяти~ работодател~',
  'deal~ pipeline~ stage~ project~ product~ campaign~ adset ads? form file~ brand~ shop~ store~ order~ contracts? invoice~',
  'passport~ cards? bank~ сделк~ воронк~ этап~ проект~ продукт~ товар~ кампани~ форм~ файл~ магазин~ заказ заказа договор~',
  'счет~ паспорт~ карт[аыеу] банк~',
);
/** What is said about an address, but is none. */
const ABOUT_ADDRESSES = words(
  'id ид verified validated valid confirmed at date time status type label comment~ notes? source~ extension ext consent',
  'model carrier provider hash count sum price budget cost amount is has channels? groups? bots?',
  'дата даты время статус~ тип~ коммент~ примечани~ источник~ доб добавочн~ согласие модель количество кол валид~ проверен~',
  'подтвержд~ сумм~ цен[аы] бюджет~ стоимост~ оплат~ долг~ есть наличие канал~ групп~ бот~',
);
const PHONE = words(
  '(?:cell|tele|mobile|home|work)?phones?(?:number)? tel тел телефон~ ~t[eé]l[eé](?:ph|f)on~ celular~ handy~ rufnummer mobil~ m[oó]vil',
  'cell cellular моб мобильн~ сот сотов~ t[aā]lrunis whatsapp~ вотсап~ ватсап~ вацап~',
);
const TELEGRAM = words('telegram~ телеграм~');
/** `тг` is also a currency. */
const SHORT_TELEGRAM = words('tg тг');
const TELEGRAM_PARTS = words(
  'user username name nick~ login link url account handle chat profile messenger ник никнейм~ юзернейм~ логин~ ссылк~ аккаунт~ чат~ профил~',
);
const OWNERS = words(
  'contact~ контакт~ client~ клиент~ customer~ leads? лид[аыу]? buyer~ покупател~ заказчик~ person~',
);
const ADDRESS_PARTS = words(
  'numbers? no num nr nummer номер~ values? значени~ main primary default основн~ главн~ personal личн~ own private direct прям~',
  'home дом домашн~ work раб рабоч~ business other друг~ доп дополнительн~ additional second secondary втор~ first перв~',
  'alternative your ваш~ with code код~ country стран~ user and or for of и или с для связи',
);

const LAST = words(
  'surname lastname фамили~ nachname familienname nazwisko soyad~ прізвищ~ apellidos? cognome sobrenome uzv[aā]rds',
);
const FIRST = words('firstname forename vor vorname pr[eé]nom imi[eę]');
const MIDDLE = words('middlename patronymic отчеств~');
/** These say which part it is only beside a word for a name: `Last contact` is a date. */
const LAST_MARK = words('last family famille');
const FIRST_MARK = words('first given');
const MIDDLE_MARK = words('middle additional');
const FULL_MARK = words('full display complete полн~');
const FULL = words('fullname фио піб');
const NAME = words('names? имя імя nombre nome nom v[aā]rds isim nimi');
const NAME_PARTS = words('main primary основн~ главн~ your ваш~ and und y e de the и');
/** An owner alone, as a name. */
const OWNER_ALONE = words('contact контакт client клиент customer lead лид покупатель заказчик');
const NOT_NAMES = words(
  'user~ login~ country~ city~ region~ street~ course~ event~ group~ list~ domain~ пользовател~ курс~ групп~',
);

function wordsOf(header: string): string[] {
  return header
    .normalize('NFKC')
    .replace(/['’ʼ`]/g, '')
    .replace(/whats[\s_-]?app/gi, 'whatsapp')
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .map((word) => word.replace(/\d+$/, ''))
    .filter((word) => word !== '')
    .join(' ')
    .replace(/^ф и о(?= |$)/, 'фио')
    .split(' ');
}

/** Read the name of a column; null if nothing in it says that it is a lead's name, address, id, time zone or tags. */
export function readColumnName(header: string): ColumnName | null {
  const target = EXACT.find(([, pattern]) => pattern.test(header.trim()))?.[0];
  if (target !== undefined) return { target };
  const all = wordsOf(header);
  if (all.some((word) => OTHERS.test(word))) return null;
  const address = readAddressColumn(all);
  return address === 'none' ? readNameColumn(all) : address;
}

const has = (all: readonly string[], pattern: RegExp): boolean => all.some((word) => pattern.test(word));
const consistsOf = (all: readonly string[], ...patterns: RegExp[]): boolean =>
  all.every((word) => patterns.some((pattern) => pattern.test(word)));

/** `none`: no word of it names addresses. */
function readAddressColumn(all: readonly string[]): ColumnName | null | 'none' {
  const isTelegram = has(all, TELEGRAM);
  const isShort = has(all, SHORT_TELEGRAM);
  if (!isTelegram && !isShort && !has(all, PHONE)) return 'none';
  if (has(all, ABOUT_ADDRESSES)) return null;
  const common = [PHONE, OWNERS, ADDRESS_PARTS];
  if (isTelegram || (isShort && !has(all, PHONE))) {
    const isCertain = consistsOf(all, TELEGRAM, SHORT_TELEGRAM, TELEGRAM_PARTS, ...common);
    return isTelegram || isCertain ? { target: 'telegram', isCertain } : null;
  }
  return { target: 'whatsapp', isCertain: consistsOf(all, SHORT_TELEGRAM, ...common) };
}

function readNameColumn(all: readonly string[]): ColumnName | null {
  const nameWords = [LAST, FIRST, MIDDLE, FULL, NAME];
  const isNamed = nameWords.some((pattern) => has(all, pattern));
  if (!isNamed) {
    const isOwner = has(all, OWNER_ALONE) && consistsOf(all, OWNER_ALONE, NAME_PARTS);
    return isOwner ? { target: 'name', isCertain: true, part: 'whole', rank: rankOf(all, false) } : null;
  }
  const marks = [LAST_MARK, FIRST_MARK, MIDDLE_MARK, FULL_MARK];
  const isCertain = consistsOf(all, ...nameWords, ...marks, OWNERS, NAME_PARTS);
  if (!isCertain && (has(all, NOT_NAMES) || !has(all, NAME))) return null;
  return { target: 'name', isCertain, part: partOf(all), rank: rankOf(all, true) };
}

function partOf(all: readonly string[]): NamePart {
  const isLast = has(all, LAST) || has(all, LAST_MARK);
  const isFirst = has(all, FIRST) || has(all, FIRST_MARK);
  const isList = isLast ? isFirst || (has(all, LAST) && has(all, NAME)) : has(all, MIDDLE) && has(all, NAME);
  if (isList || has(all, FULL) || has(all, FULL_MARK)) return 'whole';
  if (isLast) return 'last';
  if (isFirst) return 'first';
  return has(all, MIDDLE) || has(all, MIDDLE_MARK) ? 'middle' : 'whole';
}

const CONTACTS = words('contact~ контакт~');
const LEADS = words('leads? лид[аыу]?');

/** Of several columns with whole names, that of the lowest rank is used: a lead's or client's may be a title or a company. */
function rankOf(all: readonly string[], isNamed: boolean): number {
  if (has(all, LEADS)) return isNamed ? 4 : 5;
  if (!isNamed) return has(all, CONTACTS) ? 2 : 3;
  return has(all, OWNERS) || has(all, FULL) || has(all, FULL_MARK) ? 0 : 1;
}
