/** Offer a page's tools to the model, and check the calls it makes. */
import { z } from 'zod';
import type { ModelTool } from '../llm/wire/message.ts';
import { refuseUnstorable } from '../platform/http/json.ts';
import { violationsOf } from '../platform/validationMessages.ts';
import type { ToolDefinition } from './contract.ts';

/** Schema keywords that are removed: a sender's regular expressions would run here, and references may be circular. */
const EXPRESSIONS = new Set(['pattern', 'format', '$ref', '$schema']);
const TABLES = new Set(['patternProperties', '$defs', 'definitions']);

/** Build the tools of a model request. Calls are passed on to the page and not executed here. */
export const modelTools = (tools: readonly ToolDefinition[]): ModelTool[] =>
  tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: { ...parameters, type: 'object' },
  }));

export type CallCheck =
  | { readonly ok: true; readonly definition: ToolDefinition; readonly args: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly reason: string };

/** Check that a call names a tool of this page and its arguments fit. The reason is written for the model. */
export function checkCall(tools: readonly ToolDefinition[], name: string, input: unknown): CallCheck {
  const definition = tools.find((one) => one.name === name);
  if (!definition) return { ok: false, reason: `There is no tool ${name.slice(0, 64)} on this page` };
  const args = z.record(z.string(), z.unknown()).safeParse(input ?? {});
  if (!args.success) return { ok: false, reason: 'The arguments have to be a JSON object' };
  try {
    // Check the raw input, because parsing may already have dropped a forbidden key.
    refuseUnstorable('body', input);
  } catch {
    return { ok: false, reason: 'The arguments hold a key or a character that is not allowed' };
  }
  const parsed = schemaOf(definition).safeParse(args.data);
  if (parsed.success) return { ok: true, definition, args: args.data };
  const reasons = violationsOf(parsed.error)
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
  return { ok: false, reason: `The arguments do not fit: ${reasons.join('; ')}` };
}

/** Build the validator of a tool. A schema that cannot be converted accepts anything here; the page still validates. */
function schemaOf({ parameters }: ToolDefinition): z.ZodType {
  try {
    return z.fromJSONSchema(z.record(z.string(), z.json()).parse(stripExpressions({ ...parameters, type: 'object' })));
  } catch {
    return z.unknown();
  }
}

function stripExpressions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripExpressions);
  if (typeof value !== 'object' || value === null) return value;
  const allowed = Object.entries(value).filter(
    ([key, one]) => !TABLES.has(key) && !(EXPRESSIONS.has(key) && typeof one === 'string'),
  );
  return Object.fromEntries(allowed.map(([key, one]) => [key, stripExpressions(one)]));
}
