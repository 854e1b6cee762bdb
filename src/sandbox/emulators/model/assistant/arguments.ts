/** A tool's arguments, read out of a wish and of what the page shows. */
import { assignAmounts } from './amounts.ts';
import { choiceIn, choicesIn, flagIn } from './choices.ts';
import { daysOf, isDays } from './days.ts';
import { terms } from './lexicon.ts';
import { type Page, textUnder } from './page.ts';
import { amountsIn, datesIn, timesIn, zoneIn } from './quantities.ts';
import { idFor, onlyId } from './rows.ts';
import { type Schema, schemaOf } from './schema.ts';
import { edited, FREE, textsFor } from './texts.ts';
import { type Clause, MARK } from './wish.ts';

export interface Filled {
  readonly args: Readonly<Record<string, unknown>>;
  /** How much of it the wish itself said. */
  readonly evidence: number;
  /** Required, and not said. */
  readonly missing: readonly string[];
  /** Whether a text of the page was edited for it. */
  readonly edits: boolean;
  /** Whether all that follows a colon went into it. */
  readonly usedTail: boolean;
}

export interface Property {
  readonly name: string;
  readonly schema: Schema;
  /** What its name and description speak of. */
  readonly about: readonly string[];
}

interface Reading {
  /** Parameters that a bare number may go to without a word for them. */
  readonly lenient?: readonly string[];
  /** Whether a text of the page may be edited: a tool that searches for a text edits none. */
  readonly edits?: boolean;
  /** Whether its text is what is to be found. */
  readonly finds?: boolean;
  /** Whether it sends what the page shows already where no other text is said. */
  readonly sends?: boolean;
  /** The things that the tool's name speaks of. */
  readonly about?: ReadonlySet<string>;
}

export function fill(
  raw: unknown,
  clause: Clause,
  page: Page,
  { lenient = [], edits: mayEdit = false, finds = false, sends = false, about = new Set() }: Reading = {},
): Filled {
  const schema = schemaOf(raw);
  const properties = Object.entries(schema.properties).map(([name, inner]) => propertyOf(name, inner));
  const args: Record<string, unknown> = {};
  const rest = { clause, used: new Set<string>() };
  let evidence = 0;
  let edits = false;

  const ids = properties
    .filter(isIdOf)
    .flatMap(({ name }) => {
      const found = idFor(name, clause, page, about);
      return found === null ? [] : [{ key: name, ...found }];
    })
    .toSorted((a, b) => b.score - a.score);
  const taken = new Set<string>();
  for (const { key, id, name } of ids) {
    // One name, one number is one thing: a prepared message is no prompt.
    const said = name?.toLowerCase() ?? String(id);
    if (taken.has(said)) continue;
    taken.add(said);
    args[key] = id;
    evidence += 1.5;
    if (name !== null) rest.used.add(said);
  }
  for (const property of properties.filter(({ name }) => !(name in args))) {
    const said = special(property, clause, page);
    if (said === undefined) continue;
    args[property.name] = said;
    evidence += weightOf(property, said);
  }
  const numbers = properties.filter((one) => isNumber(one) && !isIdOf(one));
  for (const [name, value] of assignAmounts(numbers, clause, lenient)) {
    args[name] = value;
    evidence += 1.5;
  }
  for (const property of properties) {
    if (property.schema.type !== 'boolean') continue;
    const flags = properties.filter((one) => one.schema.type === 'boolean');
    const flag = flagIn(property, clause, flags.length === 1, schema.required.includes(property.name));
    if (flag === undefined) continue;
    args[property.name] = flag;
    evidence += 0.8;
  }
  const texts = properties.filter((one) => isText(one) && !(one.name in args));
  for (const { name } of texts) {
    const before = mayEdit && FREE.test(name) ? textUnder(page, name) : null;
    const after = before === null ? null : edited(before, clause);
    if (after === null || edits) continue;
    args[name] = after;
    edits = true;
    evidence += 4;
  }
  let usedTail = edits;
  if (!edits) {
    for (const [name, { text, tail }] of textsFor(texts, schema.required, clause, { used: rest.used, finds })) {
      args[name] = text;
      evidence += 1.2;
      usedTail ||= tail;
    }
  }
  for (const name of schema.required.filter((one) => !(one in args))) {
    const property = properties.find((one) => one.name === name);
    const only = property && isIdOf(property) ? onlyId(name, page) : null;
    const shown = sends && property && isText(property) ? textUnder(page, name) : null;
    if (only !== null) args[name] = only.id;
    else if (shown) args[name] = shown;
  }
  return {
    args,
    evidence,
    missing: schema.required.filter((one) => !(one in args) && schemaOf(schema.properties[one]).type !== 'any'),
    edits,
    usedTail,
  };
}

function propertyOf(name: string, raw: unknown): Property {
  const schema = schemaOf(raw);
  const about = [...terms(name), ...terms(schema.description)].map((one) => one.replace(/^!/, ''));
  return { name, schema, about: [...new Set(about)] };
}

const isIdOf = ({ name, schema }: Property): boolean =>
  /(?:^|_)id$/.test(name) && (schema.type === 'integer' || schema.type === 'number');
const isNumber = ({ schema }: Property): boolean =>
  (schema.type === 'integer' || schema.type === 'number') && schema.choices === null;

/** A text that is none of the special ones. */
function isText(property: Property): boolean {
  return (
    property.schema.type === 'string' &&
    property.schema.choices === null &&
    kindOf(property) === null &&
    !isIdOf(property)
  );
}

/** How much it says for a tool that these arguments could be read. */
function weightOf(property: Property, said: unknown): number {
  const kind = kindOf(property);
  if (kind === 'days') return 3;
  return kind === 'steps' && JSON.stringify(said).includes('_id"') ? 2.7 : 1.2;
}

type Kind = 'choice' | 'choices' | 'time' | 'moment' | 'date' | 'zone' | 'model' | 'days' | 'steps' | 'map' | 'ids';

function kindOf({ name, schema }: Property): Kind | null {
  const { type, format, description } = schema;
  if (schema.choices !== null) return 'choice';
  if (type === 'array') {
    const items = schemaOf(schema.items);
    if (items.choices !== null) return 'choices';
    return items.type === 'object' ? 'steps' : items.type === 'integer' || items.type === 'number' ? 'ids' : null;
  }
  if (type === 'object') return isDays(schema) ? 'days' : 'map';
  if (type !== 'string') return null;
  if (/timezone|time_zone/.test(name) || /\bIANA\b/.test(description)) return 'zone';
  if (format === 'date-time') return 'moment';
  if (format === 'date' || /^(?:day|date)$|_(?:from|to|on)$/.test(name)) return 'date';
  if (
    format === 'HH:MM' ||
    format === 'time' ||
    /HH:MM/.test(description) ||
    /(?:^|_)time(?:_|$)|_send_at$/.test(name)
  ) {
    return 'time';
  }
  return name === 'model' ? 'model' : null;
}

function special(property: Property, clause: Clause, page: Page): unknown {
  const kind = kindOf(property);
  const { name, schema } = property;
  const { bare } = clause;
  switch (kind) {
    case null:
      return undefined;
    case 'choice':
      return choiceIn(property, schema.choices ?? [], clause);
    case 'choices': {
      const found = choicesIn(property, schemaOf(schema.items).choices ?? [], clause);
      return found.length > 0 ? found : undefined;
    }
    case 'ids': {
      const found = idFor(`${name.replace(/_?ids?$|s$/, '')}_id`, clause, page);
      return found === null ? undefined : [found.id];
    }
    case 'zone':
      return zoneIn(clause.text) ?? undefined;
    case 'time':
      return timesIn(bare, 'said')[0]?.value;
    case 'date':
      return dateFor(name, datesIn(bare, todayOf(page)), bare);
    case 'moment': {
      const [date] = datesIn(bare, todayOf(page));
      return date ? `${date.value}T${timesIn(bare, 'said')[0]?.value ?? '00:00'}:00.000Z` : undefined;
    }
    case 'model':
      return modelIn(clause, page);
    case 'days':
      return daysOf(schema, bare);
    case 'steps':
      return itemsOf(schemaOf(schema.items), schema.items, clause, page);
    case 'map':
      return mapOf(schema, clause, page);
    default:
      return kind satisfies never;
  }
}

/** «From A to B»; a single day is where it begins, unless it is said to end there. */
function dateFor(name: string, dates: readonly { at: number; value: string }[], text: string): string | undefined {
  const [first, second] = dates;
  if (first === undefined) return undefined;
  const ends = /(?:until|till|before|up to|\bto|до|по)\s*(?:the\s+)?$/iu.test(text.slice(0, first.at));
  if (name.endsWith('_to')) return second?.value ?? (ends ? first.value : undefined);
  if (name.endsWith('_from')) return ends && second === undefined ? undefined : first.value;
  return first.value;
}

/** The day that the page calls today: a model knows no other. */
function todayOf(page: Page): string | null {
  const leaf = page.leaves.find(({ path }) => /^(?:now|today|from)$/.test(path.at(-1) ?? ''));
  return typeof leaf?.value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(leaf.value) ? leaf.value.slice(0, 10) : null;
}

/** A model that the page lists, or what looks like the name of one. */
function modelIn(clause: Clause, page: Page): string | undefined {
  const spoken = clause.text.toLowerCase();
  const listed = page.leaves
    .flatMap(({ value }) => (typeof value === 'string' && /^[a-z][\w.-]*\d[\w.-]*$/i.test(value) ? [value] : []))
    .filter((one) => spoken.includes(one.toLowerCase()))
    .toSorted((a, b) => b.length - a.length)[0];
  return listed ?? /\b(?:gpt|claude|gemini|sandbox|o\d)-[\w.-]*\w/i.exec(clause.text)?.[0];
}

/** One item for each span: «after 1 hour and after a day». */
function itemsOf(items: Schema, raw: unknown, clause: Clause, page: Page): unknown[] | undefined {
  if (!Object.values(items.properties).some((one) => /integer|number/.test(schemaOf(one).type))) return undefined;
  const spans = amountsIn(clause.bare).filter(({ unit }) => unit !== null);
  const made = spans.map((_span, index) => {
    const from = index === 0 ? 0 : (spans[index - 1]?.end ?? 0);
    const to = spans[index + 1] === undefined ? clause.bare.length : (spans[index]?.end ?? 0);
    const own = partOf(clause, from, index === spans.length - 1 ? clause.bare.length : lookAhead(clause.bare, to));
    const own_ = fill(raw, own, page).args;
    return Object.keys(own_).length > 1 ? own_ : { ...fill(raw, clause, page).args, ...own_ };
  });
  return made.length > 0 ? made : undefined;
}

/** What belongs to a span after it: all up to the next «and» or comma. */
function lookAhead(text: string, from: number): number {
  const next = /,|\sand\s|\sthen\s|\sи\s|\sпотом\s/iu.exec(text.slice(from));
  return next === null ? from : from + next.index;
}

function partOf(clause: Clause, from: number, to: number): Clause {
  const before = clause.bare.slice(0, from).split(MARK).length - 1;
  const bare = clause.bare.slice(from, to);
  const literals = clause.literals.slice(before, before + bare.split(MARK).length - 1);
  let next = 0;
  const text = bare.replaceAll(MARK, () => `"${literals[next++] ?? ''}"`);
  return { bare, text, literals, tail: false };
}

/** A map with known keys, such as a step for each stage; or an object of its own parameters. */
function mapOf(schema: Schema, clause: Clause, page: Page): unknown {
  const keys = Object.keys(schema.properties).length > 0 ? Object.keys(schema.properties) : (schema.keys ?? []);
  if (keys.length === 0) return undefined;
  const exact = keys.map((key) => ({ key, at: clause.text.toLowerCase().indexOf(key.toLowerCase()) }));
  const meant = keys.map((key) => ({ key, at: placeOf(key, clause.text) }));
  const places = (exact.some(({ at }) => at !== -1) ? exact : meant)
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at - b.at);
  const map: Record<string, unknown> = {};
  for (const [index, { key, at }] of places.entries()) {
    const part = clause.text.slice(at + key.length, places[index + 1]?.at);
    const inner = schemaOf(schema.properties[key] ?? schema.values);
    const part_: Clause = { text: part, bare: part, literals: [], tail: false };
    const value = inner.type === 'integer' ? (idFor('id', part_, page)?.id ?? amountsIn(part)[0]?.value) : part.trim();
    if (value !== undefined && value !== '') map[key] = value;
  }
  return Object.keys(map).length > 0 ? map : undefined;
}

function placeOf(key: string, text: string): number {
  const wanted = terms(key);
  for (const word of text.matchAll(/[\p{L}]+/gu)) {
    if (terms(word[0]).some((one) => wanted.includes(one))) return word.index;
  }
  return -1;
}
