/** Numbers, spans, times, days and dates as people write them, with where they stand. */

export interface Amount {
  readonly at: number;
  readonly end: number;
  readonly value: number;
  /** Seconds of its unit; null: a bare number. */
  readonly unit: number | null;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly (readonly [number, string])[] = [
  [7 * DAY, 'weeks?|недел(?:я|ю|и|ь)'],
  [DAY, 'days?|день|дня|дней|сутки|суток'],
  [HOUR, 'hours?|hrs?|h|часов|часа|час|ч'],
  [MINUTE, 'minutes?|mins?|min|m|минут(?:а|у|ы)?|мин'],
  [1, 'seconds?|secs?|sec|s|секунд(?:а|у|ы)?|сек|с'],
];
const UNIT = UNITS.map(([, words]) => words).join('|');

const WORDS: Readonly<Record<string, number>> = {
  'one hundred': 100,
  'a hundred': 100,
  zero: 0,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  hundred: 100,
  ноль: 0,
  один: 1,
  одну: 1,
  одного: 1,
  два: 2,
  две: 2,
  двух: 2,
  три: 3,
  трех: 3,
  четыре: 4,
  пять: 5,
  шесть: 6,
  семь: 7,
  восемь: 8,
  девять: 9,
  десять: 10,
  пятнадцать: 15,
  двадцать: 20,
  тридцать: 30,
  сорок: 40,
  пятьдесят: 50,
  сто: 100,
};

const AMOUNT = new RegExp(
  `(?<![\\p{L}\\p{N}_#.:-])(?:(\\d+(?:[.,]\\d+)?)|(${Object.keys(WORDS).join('|')}))(?:[\\s-]*(${UNIT})(?![\\p{L}\\p{N}]))?(?![\\p{L}\\p{N}_]|[.,:]\\d)`,
  'giu',
);
const BARE_UNIT =
  /(?<![\p{L}\p{N}])(?:(half an hour|полчаса)|(an hour and a half|полтора часа)|(?:a|an|one|per|each|every|another|через|каждый|каждую|каждые|за|ещё|еще)\s+(week|day|hour|minute|second|недел[юи]|день|сутки|час|минуту|секунду))(?![\p{L}\p{N}])/giu;

/** Amounts in their order. Times of day, dates and numbers within names are none. */
export function amountsIn(text: string): Amount[] {
  const plain = blanked(text.toLowerCase().replaceAll('ё', 'е'), [CLOCK, DATE, ISO]);
  const found: Amount[] = [];
  for (const match of plain.matchAll(AMOUNT)) {
    const [whole, digits, word, unit] = match;
    const value = digits === undefined ? (WORDS[word ?? ''] ?? 0) : Number(digits.replace(',', '.'));
    const sign = /(?:minus|минус)\s+$/u.test(plain.slice(0, match.index)) ? -1 : 1;
    found.push({
      at: match.index,
      end: match.index + whole.length,
      value: value * sign,
      unit: unit ? secondsOf(unit) : null,
    });
  }
  for (const match of plain.matchAll(BARE_UNIT)) {
    const [whole, half, more, unit] = match;
    const rate = /^(?:per|за)/.test(whole);
    if (rate) continue;
    const seconds = half ? HOUR / 2 : more ? 1.5 * HOUR : secondsOf(unit ?? '');
    found.push({ at: match.index, end: match.index + whole.length, value: 1, unit: seconds });
  }
  const sorted = found.toSorted((a, b) => a.at - b.at || b.end - a.end);
  return sorted.filter((one, index) => !sorted.slice(0, index).some((other) => other.end > one.at));
}

function secondsOf(unit: string): number {
  return UNITS.find(([, words]) => new RegExp(`^(?:${words})$`, 'iu').test(unit))?.[0] ?? 1;
}

/** An amount in the unit that is wished, of which `seconds` make one; a bare number is in it already. */
export function inUnit({ value, unit }: Amount, seconds: number): number {
  return unit === null ? value : Math.round((value * unit * 1_000) / seconds) / 1_000;
}

const CLOCK = /(?<!\d)([01]?\d|2[0-3]):([0-5]\d)(?!\d)/g;
const ISO = /(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/g;
const DATE = /(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)/g;
const SPOKEN_CLOCK =
  /(?:(?<![\p{L}\p{N}:])|(?=[-–—]))(?:(\d{1,2})(?:[:.]([0-5]\d))?\s*(am|pm|a\.m\.|p\.m\.|утра|вечера|дня|ночи|o'clock|часов|uhr)|(?:at|from|to|till|until|by|between|and|-|–|—|в|с|до|и|по|к)\s*(\d{1,2})(?:[:.]([0-5]\d))?(?!\s*(?:minutes?|hours?|days?|seconds?|weeks?|минут|час(?!ов)|дн|день|секунд|недел|%))|(\d{1,2})(?=\s*(?:to|till|until|-|–|—|до)\s*\d{1,2}(?![\d:]))|(noon|midday|полдень)|(midnight|полночь))(?![\p{L}\p{N}:.]\d)/giu;

export interface Placed<T> {
  readonly at: number;
  readonly value: T;
}

/**
 * Times of day as HH:MM. `said`: with a word for it, such as «at 9» or «10 am»; `meant`: also «from 9 to 18», where
 * nothing but a time can be meant.
 */
export function timesIn(text: string, how: 'said' | 'meant'): Placed<string>[] {
  const found: Placed<string>[] = [...text.matchAll(CLOCK)].map((match) => ({
    at: match.index,
    value: clock(Number(match[1]), Number(match[2])),
  }));
  const plain = blanked(text.toLowerCase(), [CLOCK, ISO, DATE]);
  for (const match of plain.matchAll(SPOKEN_CLOCK)) {
    const [, hour, minute, half, plainHour, plainMinute, first, noon, midnight] = match;
    const read = Number(hour ?? plainHour ?? first ?? (noon ? 12 : 0));
    const late = /^p|вечера|дня/.test(half ?? '') && read < 12;
    const early = /^a|утра|ночи/.test(half ?? '') && read === 12;
    if (how === 'said' && half === undefined && !noon && !midnight && !/^(?:at|в)(?!\p{L})/u.test(match[0])) continue;
    const hours = midnight ? 0 : late ? read + 12 : early ? 0 : read;
    if (hours > 23) continue;
    found.push({ at: match.index, value: clock(hours, Number(minute ?? plainMinute ?? 0)) });
  }
  return found.toSorted((a, b) => a.at - b.at);
}

const clock = (hours: number, minutes: number): string =>
  `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;

const MONTHS = [
  'jan|янв',
  'feb|фев',
  'mar|мар',
  'apr|апр',
  'may|ма[йя]',
  'jun|июн',
  'jul|июл',
  'aug|авг',
  'sep|сен',
  'oct|окт',
  'nov|ноя',
  'dec|дек',
];
const MONTH = MONTHS.join('|');
const NAMED_DATE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(\\d{1,2})(?:st|nd|rd|th)?(?:\\s+of)?\\s+(${MONTH})\\p{L}*|(${MONTH})\\p{L}*\\s+(\\d{1,2})(?:st|nd|rd|th)?)(?:,?\\s+(\\d{4}))?(?![\\p{L}\\p{N}])`,
  'giu',
);

/** Days as YYYY-MM-DD; what is counted from today needs to know it. */
export function datesIn(text: string, today: string | null): Placed<string>[] {
  const found: Placed<string>[] = [...text.matchAll(ISO)].map((match) => ({ at: match.index, value: match[0] }));
  for (const match of text.matchAll(DATE))
    found.push({ at: match.index, value: day(Number(match[3]), Number(match[2]), Number(match[1])) });
  for (const match of text.toLowerCase().matchAll(NAMED_DATE)) {
    const year = match[5] ?? today?.slice(0, 4);
    const name = match[2] ?? match[3] ?? '';
    const month = MONTHS.findIndex((one) => new RegExp(`^(?:${one})`, 'iu').test(name)) + 1;
    if (year !== undefined)
      found.push({ at: match.index, value: day(Number(year), month, Number(match[1] ?? match[4])) });
  }
  if (today !== null) {
    const from = Date.parse(`${today}T00:00:00Z`);
    for (const match of text.toLowerCase().matchAll(RELATIVE)) {
      const offset = /^(?:today|сегодня)/.test(match[0]) ? 0 : /^(?:yesterday|вчера)/.test(match[0]) ? -1 : 1;
      const days = /^(?:the day after|послезавтра)/.test(match[0]) ? 2 : offset;
      found.push({ at: match.index, value: new Date(from + days * DAY * 1_000).toISOString().slice(0, 10) });
    }
  }
  return found.toSorted((a, b) => a.at - b.at);
}

const RELATIVE =
  /(?<!\p{L})(?:the day after tomorrow|today|yesterday|tomorrow|сегодня|вчера|послезавтра|завтра)(?!\p{L})/giu;

const day = (year: number, month: number, date: number): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(date).padStart(2, '0')}`;

const WEEKDAYS = [
  'mon(?:day)?s?|понедельник\\p{L}*|пн',
  'tue(?:s(?:day)?)?s?|вторник\\p{L}*|вт',
  'wed(?:nesday)?s?|сред[аыуе]|ср',
  'thu(?:r(?:s(?:day)?)?)?s?|четверг\\p{L}*|чт',
  'fri(?:day)?s?|пятниц\\p{L}*|пт',
  'sat(?:urday)?s?|суббот\\p{L}*|сб',
  'sun(?:day)?s?|воскресень\\p{L}*|вс',
];
const SETS: readonly (readonly [string, readonly number[]])[] = [
  [
    '(?:every |all |each )?(?:week|working|business) ?days?|будн\\p{L}*|по будням|рабочи[ем] дн\\p{L}+',
    [0, 1, 2, 3, 4],
  ],
  ['week-?ends?|выходны[ехм]\\p{L}*', [5, 6]],
  [
    'every ?day|all days|each day|daily|all week|seven days(?: a week)?|кажды[йе] день|ежедневно|все дни|всю неделю',
    [0, 1, 2, 3, 4, 5, 6],
  ],
];
const ONE_DAY = `(?:${[...WEEKDAYS, ...SETS.map(([words]) => words)].join('|')})`;
const DAY_LIST = new RegExp(
  `(?<![\\p{L}\\p{N}])${ONE_DAY}(?:\\s*(?:,|and|&|и|to|till|until|through|-|–|—|по|до)\\s*${ONE_DAY})*(?![\\p{L}\\p{N}])`,
  'giu',
);
const ANY_DAY = new RegExp(`(?<![\\p{L}])${ONE_DAY}(?![\\p{L}])`, 'giu');

export interface Weekdays {
  readonly at: number;
  readonly end: number;
  /** 0 is Monday. */
  readonly days: readonly number[];
}

/** «Monday to Friday», «Sat and Sun», «weekends», «по будням». */
export function weekdaysIn(text: string): Weekdays[] {
  return [...text.matchAll(DAY_LIST)].map((match) => {
    const days = new Set<number>();
    let last: number | null = null;
    let before = 0;
    for (const one of match[0].matchAll(ANY_DAY)) {
      const between = match[0].slice(before, one.index);
      before = one.index + one[0].length;
      const set = daysOf(one[0]);
      const [only] = set;
      if (
        last !== null &&
        only !== undefined &&
        set.length === 1 &&
        /to|till|until|through|[-–—]|по|до/iu.test(between)
      ) {
        for (let step: number = last; step !== only; step = (step + 1) % 7) days.add(step);
      }
      for (const each of set) days.add(each);
      last = set.length === 1 ? (only ?? null) : null;
    }
    return { at: match.index, end: match.index + match[0].length, days: [...days].toSorted((a, b) => a - b) };
  });
}

function daysOf(word: string): readonly number[] {
  const set = SETS.find(([words]) => new RegExp(`^(?:${words})$`, 'iu').test(word));
  if (set) return set[1];
  const index = WEEKDAYS.findIndex((words) => new RegExp(`^(?:${words})$`, 'iu').test(word));
  return index === -1 ? [] : [index];
}

/** The text with what the patterns find made blank, its length the same. */
function blanked(text: string, patterns: readonly RegExp[]): string {
  return patterns.reduce((rest, pattern) => rest.replaceAll(pattern, (found) => ' '.repeat(found.length)), text);
}

const ZONES: readonly (readonly [RegExp, string])[] = [
  [/moscow|москв|мск(?!\p{L})/iu, 'Europe/Moscow'],
  [/london|лондон/iu, 'Europe/London'],
  [/new york|нью-?йорк/iu, 'America/New_York'],
  [/los angeles|лос-?анджелес/iu, 'America/Los_Angeles'],
  [/tokyo|токио/iu, 'Asia/Tokyo'],
  [/berlin|берлин/iu, 'Europe/Berlin'],
  [/paris|париж/iu, 'Europe/Paris'],
  [/riga|риг[аеу](?!\p{L})/iu, 'Europe/Riga'],
  [/dubai|дуба[йе]/iu, 'Asia/Dubai'],
  [/novosibirsk|новосибирск/iu, 'Asia/Novosibirsk'],
  [/yekaterinburg|екатеринбург/iu, 'Asia/Yekaterinburg'],
  [/vladivostok|владивосток/iu, 'Asia/Vladivostok'],
  [/\b(?:utc|gmt)\b|гринвич/iu, 'UTC'],
];

/** An IANA name, by itself or by its city. */
export function zoneIn(text: string): string | null {
  const named =
    /\b(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)\/[A-Za-z_+\-/0-9]+/.exec(text);
  return named?.[0] ?? ZONES.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
