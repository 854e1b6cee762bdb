/** Which of the values that a parameter knows is meant. */
import type { Property } from './arguments.ts';
import { terms } from './lexicon.ts';
import type { Clause } from './wish.ts';

/** The choice that is meant; undefined when none is named. */
export function choiceIn(property: Property, choices: readonly unknown[], clause: Clause): unknown {
  // What a list is ordered by is said by «by», not by any word that names a column.
  const ordering =
    property.name === 'order_by' && !/\b(?:by|sort|order)|(?<!\p{L})(?:по|сортир|упорядоч)/iu.test(clause.text);
  const [best] = ordering ? [] : scored(choices, clause);
  if (best !== undefined) return best.choice;
  return property.name === 'order' || property.name === 'order_by' ? orderIn(property, choices, clause) : undefined;
}

/** All choices that are named. */
export function choicesIn(property: Property, choices: readonly unknown[], clause: Clause): unknown[] {
  const found = scored(choices, clause).filter(({ share }) => share >= 0.99 || choices.length < 3);
  const cue = /\b(?:by|type|types|status|stage|kind|kinds)\s+(?=\S)/iu.exec(clause.text);
  const cued = cue === null ? [] : found.filter(({ at }) => at >= cue.index + cue[0].length);
  if (cued.length > 0) return cued.map(({ choice }) => choice);
  // «Classification prompts» are of one kind: the second word says of what.
  const compound = found.filter(
    ({ at }) =>
      !found.some((one) => one !== undefined && one.at < at && /^\S+\s+$/u.test(clause.text.slice(one.at, at))),
  );
  if (compound.length < found.length) return compound.map(({ choice }) => choice);
  // One that is named as a part of another («settings» of «settings-channel») is not meant.
  return found.filter(({ at }, index) => found.findIndex((one) => one.at === at) === index).map(({ choice }) => choice);
}

interface Scored {
  readonly choice: unknown;
  readonly share: number;
  readonly at: number;
  readonly score: number;
}

function scored(choices: readonly unknown[], clause: Clause): Scored[] {
  const spoken = clause.text.toLowerCase();
  const heard = new Set(terms(clause.text).map(plain));
  const own = choices.map((choice) => ({ choice, words: [...new Set(terms(String(choice)).map(plain))] }));
  return own
    .map(({ choice, words }): Scored => {
      const written = String(choice).toLowerCase();
      const at = wholeWord(spoken, written);
      const weights = words.map(
        (word) => [word, 1 / own.filter((other) => other.words.includes(word)).length] as const,
      );
      const all = weights.reduce((sum, [, weight]) => sum + weight, 0);
      const said = weights.filter(([word]) => heard.has(word)).reduce((sum, [, weight]) => sum + weight, 0);
      // Written out, it is meant more than another one in the same words.
      if (at !== -1) return { choice, share: 1, at, score: Math.max(said, 0.5) + 1.5 + after(spoken, at) };
      const place = placeOf(words, spoken);
      const share = all === 0 ? 0 : said / all;
      return { choice, share, at: place, score: share < 0.6 ? 0 : said + share + after(spoken, place) };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}

/** What stands after «to» is where it goes. */
const after = (text: string, at: number): number =>
  at > 0 && /(?:\bto|\binto|\bas|\bis|(?<!\p{L})на|(?<!\p{L})в)\s+(?:the\s+)?["'«]?$/iu.test(text.slice(0, at))
    ? 1.5
    : 0;

const plain = (term: string): string => term.replace(/^!/, '');

function wholeWord(text: string, word: string): number {
  let at = text.indexOf(word);
  while (at !== -1) {
    if (!/[\p{L}\p{N}_-]/u.test(text.charAt(at - 1)) && !/[\p{L}\p{N}_-]/u.test(text.charAt(at + word.length)))
      return at;
    at = text.indexOf(word, at + 1);
  }
  return -1;
}

function placeOf(words: readonly string[], text: string): number {
  for (const word of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (terms(word[0]).some((one) => words.includes(plain(one)))) return word.index;
  }
  return -1;
}

/** «The newest first», «by name». */
function orderIn(property: Property, choices: readonly unknown[], clause: Clause): unknown {
  const text = clause.text.toLowerCase();
  const down = /newest|latest|recent|descend|z to a|highest|last first|новы[ехй]|свеж|убыв|последн/u.test(text);
  const up = /oldest|earliest|ascend|a to z|alphabet|lowest|стары[ехй]|возраст|алфавит/u.test(text);
  if (property.name === 'order')
    return down ? choices.find((one) => one === 'desc') : up ? choices.find((one) => one === 'asc') : undefined;
  if (/alphabet|алфавит/u.test(text)) return choices.find((one) => one === 'name');
  return down || up ? choices.find((one) => one === 'created_at') : undefined;
}

const OFF =
  /\b(?:off|disable[ds]?|deactivate|without|not|don'?t|doesn'?t|no|never|stop|pause|block|unlimited|alone)\b|выключ|отключ|деактив|(?<!\p{L})(?:без|не|нет)(?!\p{L})|останов|приостан|запрет/iu;
const SWITCHED_OFF = /\boff\b|\bdisable|\bdeactivate|\bpause\b|выключ|отключ|деактив|приостан/iu;
const SWITCHED_ON = /\b(?:turn|switch)\b.*\bon\b|\bon\s*[.!]?$|\benable|\bactivate|(?<!\p{L})включ|активир/iu;
const ON = /\b(?:on|enable[ds]?|activate|with|yes|resume|start|allow)\b|(?<!\p{L})включ|актив|возобнов|разреш|запуст/iu;

/** Whether a flag is wished on or off; undefined: not spoken of. */
export function flagIn(property: Property, clause: Clause, only: boolean, required: boolean): boolean | undefined {
  const text = clause.bare.toLowerCase();
  const all = terms(property.name);
  const things = all.filter((one) => !one.startsWith('!'));
  const words = (things.length > 0 ? things : all).map(plain).filter((one) => !STATE.has(one));
  const places = words.map((word) => placeOf([word], text)).filter((at) => at !== -1);
  const state = words.length === 0 || all.map(plain).some((one) => STATE.has(one));
  if (words.length > 0 && places.length > 0 && places.length * 2 >= words.length) {
    const at = Math.min(...places);
    const around = text.slice(
      Math.max(0, text.lastIndexOf(',', at), text.lastIndexOf(' and ', at), text.lastIndexOf(' but ', at)),
    );
    const near = around.split(/,|\s(?:and|but|и|но)\s/u).find((one) => one.trim() !== '') ?? around;
    if (OFF.test(near)) return false;
    if (ON.test(near) || state || required) return true;
    return words.length === places.length ? true : undefined;
  }
  if (!state && !required && !only) return undefined;
  if (required) return !OFF.test(text);
  if (!state || !only) return undefined;
  return SWITCHED_OFF.test(text) ? false : SWITCHED_ON.test(text) ? true : undefined;
}

/** Words of a flag's name that say only that it is one. */
const STATE = new Set(['active', 'enable', 'enabl', 'disable', 'is', 'use', 'on']);
