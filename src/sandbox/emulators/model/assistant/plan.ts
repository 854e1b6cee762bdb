/** From an operator's words to calls of the tools that were declared: any tools, by their names and parameters. */
import type { Tool } from '../request.ts';
import type { ToolCall } from '../tools.ts';
import { type Filled, fill } from './arguments.ts';
import { isDeed, nearness, terms } from './lexicon.ts';
import type { Page } from './page.ts';
import { schemaOf } from './schema.ts';
import { sought } from './texts.ts';
import { type Clause, isQuestion, plainly, readings } from './wish.ts';

export interface Plan {
  readonly calls: readonly ToolCall[];
  /** Tools that were meant, with the parameters that nothing was said about. */
  readonly lacking: readonly { readonly tool: string; readonly missing: readonly string[] }[];
  /** Clauses that no tool was meant by. */
  readonly unclear: readonly Clause[];
  /** Only a question, and none that names a tool: what the page shows may answer it as well. */
  readonly faint: boolean;
}

/** What a tool is about, as its name, its parameters and its description say. */
interface Profile {
  readonly tool: Tool;
  readonly deeds: readonly string[];
  readonly saidDeeds: readonly string[];
  readonly named: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  readonly described: ReadonlySet<string>;
}

interface Choice {
  readonly profile: Profile;
  readonly filled: Filled;
  readonly score: number;
}

const ENOUGH = 3;
/** From here on a question means a tool, whatever the page shows. */
const SURE = 5;

/** The calls that the words ask for, in their order. */
export function planOf(words: string, tools: readonly Tool[], page: Page): Plan {
  const profiles = tools.map(profileOf);
  const [asTail, asWords] = readings(words).map((clauses) => planned(clauses, profiles, page));
  const taken = asWords === undefined || asTail?.usedTail === true ? asTail : asWords;
  return taken ?? { calls: [], lacking: [], unclear: [], faint: false };
}

function planned(clauses: readonly Clause[], profiles: readonly Profile[], page: Page): Plan & { usedTail: boolean } {
  const calls: { name: string; args: Record<string, unknown> }[] = [];
  const lacking: { tool: string; missing: readonly string[] }[] = [];
  const unclear: Clause[] = [];
  let usedTail = false;
  let before: Choice | null = null;
  let whole: Clause | null = null;
  for (const written of clauses) {
    const clause = { ...written, bare: plainly(written.bare), text: plainly(written.text) };
    const choice: Choice | null = best(clause, profiles, page) ?? again(clause, before, page);
    if (choice === null) {
      const more: Filled | null = before && widened(before, whole, clause, page);
      const last = calls.at(-1);
      if (more === null || last === undefined) unclear.push(clause);
      else Object.assign(last.args, more.args);
      continue;
    }
    before = choice;
    whole = clause;
    usedTail ||= choice.filled.usedTail;
    const name = choice.profile.tool.function.name;
    if (choice.filled.missing.length > 0) {
      const finding = lookup(clause, profiles, choice);
      if (finding === null) lacking.push({ tool: name, missing: choice.filled.missing });
      else calls.push(finding);
      continue;
    }
    const last = calls.at(-1);
    const apart = last?.name !== name || Object.keys(choice.filled.args).some((key) => key in last.args);
    if (last === undefined || apart) calls.push({ name, args: { ...choice.filled.args } });
    else Object.assign(last.args, choice.filled.args);
  }
  // One wish in two sentences: what the second tells the first lacked.
  const told = lacking.filter(({ tool }) => !calls.some(({ name }) => name === tool));
  return {
    calls: calls.map(({ name, args }) => ({ name, arguments: JSON.stringify(args) })),
    lacking: told,
    unclear,
    faint: clauses.length === 1 && before !== null && before.score < SURE && isQuestion(clauses[0]?.text ?? ''),
    usedTail,
  };
}

function profileOf(tool: Tool): Profile {
  const { name, description, parameters } = tool.function;
  // What a tool does not do stands behind a full stop or a semicolon, examples behind a colon.
  const said = (description ?? '').split(/[.;:]|, not\b|, не(?!\p{L})/u)[0] ?? '';
  const own = terms(name);
  const inner = wordsOf(parameters, 0);
  const saidDeeds = terms(said).filter(isDeed);
  const deeds = own.filter(isDeed);
  return {
    tool,
    deeds,
    // A tool that is called by a thing alone tells of it.
    saidDeeds: deeds.length + saidDeeds.length > 0 ? saidDeeds : ['!tell', '!show'],
    named: new Set(own.filter((one) => !isDeed(one))),
    parameters: new Set(inner.flatMap(terms).filter((one) => !isDeed(one))),
    described: new Set(terms(said).filter((one) => !isDeed(one))),
  };
}

const DEEPEST = 3;

/** Names, descriptions and choices of parameters, those of lists and maps too. */
function wordsOf(raw: unknown, depth: number): string[] {
  if (depth > DEEPEST || raw === undefined) return [];
  const schema = schemaOf(raw);
  const own = [schema.description, ...(schema.choices ?? []).map(String), ...wordsOf(schema.items, depth + 1)];
  return [...own, ...Object.entries(schema.properties).flatMap(([key, one]) => [key, ...wordsOf(one, depth + 1)])];
}

function best(clause: Clause, profiles: readonly Profile[], page: Page): Choice | null {
  const asks = isQuestion(clause.text);
  const said = terms(clause.bare);
  // A question without a deed wants to be told.
  const heard = asks && !said.some(isDeed) ? ['!tell', ...said] : said;
  const [first] = profiles
    .filter((profile) => !asks || tells(profile))
    .map((profile) => {
      const filled = fill(profile.tool.function.parameters ?? {}, clause, page, {
        edits: edits(profile),
        finds: profile.deeds[0] === '!find',
        sends: profile.deeds[0] === '!send',
        about: profile.named,
      });
      // To change nothing in particular is no wish.
      const idle = filled.evidence === 0 && filled.missing.length === 0 && takesAny(profile);
      const empty = changes(profile) && idle ? 4 : 0;
      const score =
        wish(heard, profile, profiles, filled.evidence) +
        filled.evidence -
        filled.missing.length * (wholly(heard, profile) ? 0.3 : 2) -
        empty;
      return { profile, filled, score };
    })
    .filter(({ score, filled }) => score >= ENOUGH || (filled.edits && score > 2))
    .toSorted((a, b) => b.score - a.score);
  return first ?? null;
}

/** Whether a tool's text parameter is a text that the page shows, to be changed. */
const edits = ({ deeds }: Profile): boolean =>
  deeds.some((one) => one === '!edit' || one === '!change' || one === '!replace');

const changes = ({ deeds }: Profile): boolean =>
  deeds.some((one) => one === '!change' || one === '!edit' || one === '!draft');
const takesAny = ({ tool }: Profile): boolean => Object.keys(tool.function.parameters?.properties ?? {}).length > 0;

/** «Change stage» names the tool outright: what else it takes may be asked for. */
const wholly = (heard: readonly string[], { deeds, named }: Profile): boolean =>
  deeds.length > 0 && named.size > 0 && [...deeds, ...named].every((one) => heard.includes(one));

/** Whether a tool only tells something: then a question may mean it. */
function tells({ deeds, saidDeeds }: Profile): boolean {
  const own = deeds.length > 0 ? deeds : saidDeeds;
  return own.every((one) => ['!why', '!tell', '!show', '!find', '!test'].includes(one));
}

/** «And another after two hours» asks for the same tool once more. */
function again(clause: Clause, before: Choice | null, page: Page): Choice | null {
  if (
    before === null ||
    !/^(?:and )?(?:another|one more|again|then|also|ещё|еще|и ещё|и еще)(?!\p{L})/iu.test(clause.bare)
  ) {
    return null;
  }
  const filled = fill(before.profile.tool.function.parameters ?? {}, clause, page);
  return filled.evidence > 0 && filled.missing.length === 0 ? { ...before, filled } : null;
}

/** A part of a sentence that no tool was meant by may tell the tool before it more: «…, and replace the old one». */
function widened(before: Choice, whole: Clause | null, clause: Clause, page: Page): Filled | null {
  if (whole === null) return null;
  const both = {
    ...clause,
    text: `${whole.text}, ${clause.text}`,
    bare: `${whole.bare}, ${clause.bare}`,
    literals: [...whole.literals, ...clause.literals],
  };
  const filled = fill(before.profile.tool.function.parameters ?? {}, both, page);
  const fresh = Object.keys(filled.args).some((key) => !(key in before.filled.args));
  return fresh && filled.missing.length === 0 ? filled : null;
}

/** A search for what is named but not shown. */
function lookup(
  clause: Clause,
  profiles: readonly Profile[],
  { profile, filled }: Choice,
): { name: string; args: Record<string, unknown> } | null {
  if (!filled.missing.every((one) => /(?:^|_)id$/.test(one))) return null;
  const finder = profiles.find(
    (one) =>
      one !== profile && one.deeds.includes('!find') && schemaOf(one.tool.function.parameters).required.length === 1,
  );
  const [key] = schemaOf(finder?.tool.function.parameters).required;
  const name = sought(clause.text) ?? clause.literals[0] ?? properName(clause.text);
  if (finder === undefined || key === undefined || name === null) return null;
  return { name: finder.tool.function.name, args: { [key]: name } };
}

/** Words in capitals that do not open the sentence. */
function properName(text: string): string | null {
  return /(?<=\S\s+)\p{Lu}[\p{L}'-]+(?:\s+\p{Lu}[\p{L}'-]+)*/u.exec(text)?.[0] ?? null;
}

/** How much the words speak of a tool: its deed first, then the things that it names. */
function wish(heard: readonly string[], profile: Profile, all: readonly Profile[], evidence: number): number {
  const deeds = heard.filter(isDeed);
  let score = 0;
  if (deeds.length > 0) {
    const near = deeds.map((deed, index) => {
      const own = Math.max(0, ...profile.deeds.map((one, place) => nearness(deed, one) * (place === 0 ? 1 : 0.8)));
      const said = Math.max(0, ...profile.saidDeeds.map((one) => nearness(deed, one)));
      return (
        Math.max(own, said * (profile.deeds.length === 0 ? 0.9 : 0.65)) * (index === 0 || deed === '!retry' ? 1 : 0.75)
      );
    });
    const nearest = Math.max(...near);
    // «Send the first messages at 11» describes what a change is to bring.
    const described = profile.deeds[0] === '!change' && evidence > 0 ? -0.6 : -3;
    score += nearest >= 0.2 ? 4 * nearest : described;
    if (deeds.includes('!retry') && ![...profile.deeds, ...profile.saidDeeds].includes('!retry')) score -= 1.5;
  } else if (profile.deeds[0] === '!change') score += 0.5;
  // Who speaks of everything means nothing by it.
  const broad = Math.min(1, 45 / Math.max(1, profile.parameters.size + profile.described.size));
  for (const thing of new Set(heard.filter((one) => !isDeed(one)))) {
    const rare = rarity(thing, all);
    if (profile.named.has(thing)) score += 2.5 * rare;
    else if (profile.parameters.has(thing)) score += 1.6 * rare * broad;
    else if (profile.described.has(thing)) score += 1.2 * rare * broad;
  }
  if (profile.named.size > 0 && [...profile.named].every((one) => heard.includes(one))) score += 1;
  const unsaid = [...profile.named].filter((one) => !heard.includes(one)).length;
  return score - unsaid * 0.3;
}

/** Near 1 for what few tools speak of; never nothing. */
function rarity(thing: string, all: readonly Profile[]): number {
  const having = all.filter(
    (one) => one.named.has(thing) || one.parameters.has(thing) || one.described.has(thing),
  ).length;
  if (having === 0) return 0;
  return Math.max(0.35, Math.log(1 + all.length / having) / Math.log(1 + all.length));
}
