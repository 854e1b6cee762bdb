/** The sandbox model's classification of a conversation, as strict JSON. */

import type { z } from 'zod';
import { type Intent, intentOf } from './language.ts';
import { type ChatRequest, jsonSchemaSchema, systemOf, textOf } from './request.ts';

type JsonSchema = z.infer<typeof jsonSchemaSchema>;
type Stage = 'ongoing' | 'pending' | 'success' | 'refused' | 'failed';

interface Judgement {
  stage: Stage;
  reason: string;
  optOut: boolean;
  /** Whether the lead has written the words that the prompt requires. */
  complete: boolean;
}

/** Return whether the request wants JSON: by its response format, or because its prompt asks for it. */
export function wantsJson(request: ChatRequest): boolean {
  const type = request.response_format?.type;
  if (type === 'json_object' || type === 'json_schema') return true;
  if (type !== undefined) return false;
  const system = systemOf(request);
  return (
    asksForJson.test(system) ||
    (/\bjson\b/i.test(system) && /(?<!\p{L})stages?\b|стади/iu.test(system) && /refused/i.test(system))
  );
}

/** A prompt may show JSON without asking for it; only a request for it counts. */
const asksForJson = /(?:answer|reply|respond|return|output|produce|ответь|отвечай|верни)[^.\n]{0,60}\bjson\b/i;

/** Return `{stage, reason}`, or an object that matches the given schema. */
export function classification(request: ChatRequest): string {
  const lines = leadLines(request);
  const judged = { ...judge(lines), complete: hasNeeded(systemOf(request), lines) };
  const format = request.response_format;
  const schema = format?.type === 'json_schema' ? format.json_schema.schema : undefined;
  if (schema !== undefined) return JSON.stringify(filled(schema, '', judged));
  const keys = namedKeys(systemOf(request));
  if (keys.length === 0) return JSON.stringify({ stage: judged.stage, reason: judged.reason });
  const code = /"code":\s*"([\w-]+)"/.exec(systemOf(request))?.[1];
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, key === 'code' ? code : valueFor(key, judged)])));
}

const stages: Record<Intent, Stage> = {
  opt_out: 'refused',
  refusal: 'refused',
  wrong_person: 'failed',
  agreement: 'success',
  later: 'pending',
  interest: 'ongoing',
};

/** Judge by the last of the lead's messages that shows an intent. */
function judge(lines: string[]): Omit<Judgement, 'complete'> {
  const decisiveLine = lines.findLast((line) => intentOf(line) !== null);
  const intent = decisiveLine === undefined ? null : intentOf(decisiveLine);
  const quote = decisiveLine === undefined ? '' : `: "${decisiveLine.slice(0, 120)}"`;
  if (intent === null) {
    const reason =
      lines.length === 0 ? 'The lead has written nothing.' : 'The lead is talking and has decided nothing.';
    return { stage: 'ongoing', reason, optOut: false };
  }
  const reasons: Record<Intent, string> = {
    opt_out: 'The lead wishes to be left alone',
    refusal: 'The lead declines',
    wrong_person: 'The lead is not whom we meant to write to',
    agreement: 'The lead agrees to the next step',
    later: 'The lead puts the decision off',
    interest: 'The lead shows interest',
  };
  return { stage: stages[intent], reason: `${reasons[intent]}${quote}`, optOut: intent === 'opt_out' };
}

/** Return whether the lead has written a quoted word that the prompt requires by `only if` (or `only when`). */
function hasNeeded(prompt: string, lines: string[]): boolean {
  const needed = [...prompt.matchAll(/\bonly (?:if|when)\b[^.\n"]*"([^"\n]+)"/gi)].flatMap((found) => found[1] ?? []);
  const leadText = lines.join('\n').toLowerCase();
  return needed.every((word) => leadText.includes(word.toLowerCase()));
}

/** Return what the lead wrote: user messages, or in a transcript only the lines marked as the lead's. */
function leadLines(request: ChatRequest): string[] {
  const lines = request.messages
    .filter((message) => message.role === 'user')
    .flatMap((message) => textOf(message).split('\n'));
  const mark = /^\s*(?:\[[^\]]*\]\s*)?(?:lead|user|client|customer|лид|клиент)\s*[:>—-]\s*/i;
  const marked = lines.filter((line) => mark.test(line)).map((line) => line.replace(mark, ''));
  return (marked.length > 0 ? marked : lines).filter((line) => line.trim() !== '');
}

/** Return the keys of an example object in the prompt, such as `{"stage": …, "reason": …}`. */
function namedKeys(prompt: string): string[] {
  const example = /\{[^{}]*"[^{}]*\}/.exec(prompt)?.[0];
  if (example !== undefined) return [...example.matchAll(/"([a-z_]+)"\s*:/gi)].flatMap((found) => found[1] ?? []);
  return [...(/\{\s*([a-z_]+(?:\s*,\s*[a-z_]+)*)\s*\}/i.exec(prompt)?.[1] ?? '').matchAll(/[a-z_]+/gi)].map(
    ([key]) => key,
  );
}

function valueFor(key: string, judged: Judgement): unknown {
  if (/stage|status|class|result/i.test(key)) return judged.stage;
  if (/opt|deactiv|leave/i.test(key)) return judged.optOut;
  if (/refus/i.test(key)) return judged.stage === 'refused';
  if (/confirm|qualif|success/i.test(key))
    return judged.complete && (judged.stage === 'success' || judged.stage === 'refused');
  if (/confid|score|probab/i.test(key)) return 0.9;
  return judged.reason;
}

function filled(raw: unknown, key: string, judged: Judgement): unknown {
  const schema: JsonSchema = jsonSchemaSchema.catch({}).parse(raw);
  if (schema.enum !== undefined) {
    return schema.enum.includes(judged.stage) ? judged.stage : schema.enum[0];
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const value = valueFor(key, judged);
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, filled(inner, name, judged)]),
      );
    case 'array':
      return [];
    case 'boolean':
      return typeof value === 'boolean' ? value : false;
    case 'number':
    case 'integer':
      return typeof value === 'number' ? value : 0;
    default:
      return typeof value === 'string' ? value : judged.reason;
  }
}
