/**
 * How well simulated leads can be told from real ones, by the style of what they write and not by its topic. A simple
 * classifier (the nearer mean, each feature measured in its own spread) guesses each talk after it has learnt from the
 * others: half of the guesses are right if nothing tells them apart, all of them if everything does.
 */

/** Numbers of a lead's messages in one talk; no words of the lead can be read from them. */
export type Style = readonly number[];

/** Fewest talks of each kind that say anything. */
export const FEWEST_TALKS = 8;
/** Fewest messages of a talk from which its style can be told. */
export const FEWEST_MESSAGES = 2;

const AGREEMENT =
  /(?<!\p{L})(?:ok(?:ay)?|yes|yep|yeah|sure|great|good|nice|fine|perfect|thanks?|thank you|agreed?|i see|understood|interesting|sounds good|да|ага|хорошо|отлично|спасибо|понятно|понял[аи]?|ясно|супер|согласе?н[аы]?|давайте|интересно|окей|ок)(?!\p{L})/iu;
const DISAGREEMENT =
  /(?<!\p{L})(?:no|nope|not|don'?t|can'?t|won'?t|never|expensive|why|wrong|bad|but|нет|не|дорого|почему|зачем|никогда|но|плохо)(?!\p{L})/iu;

const FEATURES: readonly ((text: string) => number)[] = [
  (text) => Math.log(1 + text.length),
  (text) => Number(text.includes('?')),
  (text) => Number(/[.!?…]["”»)]?$/u.test(text)),
  (text) => Number(/^\P{L}*\p{Lu}/u.test(text)),
  (text) => Number(/\p{Extended_Pictographic}|[:;]-?[()]|\){2,}/u.test(text)),
  (text) => Number(AGREEMENT.test(text)),
  (text) => Number(DISAGREEMENT.test(text)),
  (text) => Number(!/\s/.test(text.trim())),
  (text) => (text.match(/[,;:—–-]/gu)?.length ?? 0) / Math.max(1, text.split(/\s+/).length),
];

/** Measure the style of a lead's messages: means, and how much their length varies. */
export function styleOf(messages: readonly string[]): Style {
  const rows = messages.map((text) => FEATURES.map((feature) => feature(text)));
  const lengths = rows.map(([length = 0]) => length);
  return [...FEATURES.map((_feature, index) => mean(rows.map((row) => row[index] ?? 0))), deviation(lengths)];
}

/** The share of messages with words of agreement; null without any message. */
export function agreementOf(talks: readonly (readonly string[])[]): { count: number; total: number } {
  const messages = talks.flat();
  return { count: messages.filter((text) => AGREEMENT.test(text)).length, total: messages.length };
}

export interface SimulatedStyle {
  /** Talks of one persona are alike: none of them is learnt from when one is guessed. */
  readonly persona: number;
  readonly style: Style;
}

/**
 * Count the right guesses; null if there are too few talks. As many real as simulated ones are guessed, so that always
 * guessing the same is right half of the time.
 */
export function tellApart(
  simulated: readonly SimulatedStyle[],
  real: readonly Style[],
): { count: number; total: number } | null {
  const size = Math.min(simulated.length, real.length);
  if (size < FEWEST_TALKS) return null;
  const ours = spread(simulated, size);
  const theirs = spread(real, size);
  const rightOfOurs = ours.filter(({ persona, style }) => {
    const others = ours.filter((one) => one.persona !== persona).map((one) => one.style);
    return isNearer(style, others, theirs);
  });
  const styles = ours.map(({ style }) => style);
  const rightOfTheirs = theirs.filter((style) =>
    isNearer(
      style,
      theirs.filter((one) => one !== style),
      styles,
    ),
  );
  return { count: rightOfOurs.length + rightOfTheirs.length, total: 2 * size };
}

/** Whether a style is nearer to the mean of its own kind than to that of the others. */
function isNearer(style: Style, own: readonly Style[], others: readonly Style[]): boolean {
  if (own.length === 0) return false;
  let difference = 0;
  for (const [index, value] of style.entries()) {
    const of = (styles: readonly Style[]) => styles.map((one) => one[index] ?? 0);
    const [mine, theirs] = [of(own), of(others)];
    // A feature that does not vary at all must not decide alone.
    const scale = Math.max(0.05, Math.sqrt((deviation(mine) ** 2 + deviation(theirs) ** 2) / 2));
    difference += ((value - mean(mine)) / scale) ** 2 - ((value - mean(theirs)) / scale) ** 2;
  }
  return difference < 0;
}

/** Take so many of a list, evenly. */
function spread<T>(list: readonly T[], size: number): T[] {
  return list.filter(
    (_one, index) => Math.floor((index * size) / list.length) !== Math.floor(((index - 1) * size) / list.length),
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}
