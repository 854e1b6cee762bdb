/**
 * `npm run studio -- gate --product ID [--prompt ID] [--version N | --text FILE] [--budget USD] [--repeats N]
 * [--minutes N] [--junit FILE] [--json FILE]`: runs the test cases of a prompt on a running installation, for a build
 * pipeline. The environment says where and as whom: RAPPORT_URL, RAPPORT_LOGIN, RAPPORT_PASSWORD.
 *
 * Exit codes: 0 all cases are green; 1 a case is red; 2 it could not be judged.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { CommandError, signIn } from './apiClient.ts';
import { exitCodeOf, type GateRequest, gatePrompts } from './gate.ts';
import { toJunit } from './junit.ts';
import { printable } from './printable.ts';

const USAGE = `Usage: npm run studio -- gate --product ID [--prompt ID] [--version N | --text FILE]
  [--budget USD] [--repeats N] [--minutes N] [--junit FILE] [--json FILE]
Environment: RAPPORT_URL (default http://127.0.0.1:3000), RAPPORT_LOGIN, RAPPORT_PASSWORD
Exit codes: 0 green, 1 red, 2 could not be judged`;

const NAMES = ['product', 'prompt', 'version', 'text', 'budget', 'repeats', 'minutes', 'junit', 'json'] as const;
type Values = Partial<Record<(typeof NAMES)[number], string>>;

class UsageError extends Error {}

function readArguments(args: readonly string[]): Values {
  const options = Object.fromEntries(NAMES.map((name) => [name, { type: 'string' } as const]));
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length !== 1 || positionals[0] !== 'gate') throw new UsageError('The command is gate.');
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Read a number. Without it, `fallback`; null: it is required. */
function numberOf(
  values: Values,
  name: keyof Values,
  { fallback = null, isWhole = true }: { readonly fallback?: number | null; readonly isWhole?: boolean } = {},
): number {
  const text = values[name];
  if (text === undefined && fallback !== null) return fallback;
  const value = Number(text);
  const isValid = text !== undefined && text.trim() !== '' && Number.isFinite(value) && value >= 0;
  if (!isValid || (isWhole && (value === 0 || !Number.isInteger(value))))
    throw new UsageError(`--${name} has to be a ${isWhole ? 'whole number from 1' : 'number'}.`);
  return value;
}

const optionalNumber = (values: Values, name: keyof Values): number | null =>
  values[name] === undefined ? null : numberOf(values, name);

function requestOf(values: Values, signal: AbortSignal): GateRequest {
  if ((values.version ?? values.text) !== undefined && values.prompt === undefined)
    throw new UsageError('--version and --text are of a prompt: give --prompt too.');
  if (values.version !== undefined && values.text !== undefined)
    throw new UsageError('Give --version or --text, not both.');
  return {
    productId: numberOf(values, 'product'),
    promptId: optionalNumber(values, 'prompt'),
    version: optionalNumber(values, 'version'),
    text: values.text === undefined ? null : readFileSync(values.text, 'utf8'),
    repeats: numberOf(values, 'repeats', { fallback: 3 }),
    budget: numberOf(values, 'budget', { fallback: 1, isWhole: false }),
    limitMs: numberOf(values, 'minutes', { fallback: 30 }) * 60_000,
    signal,
    log: (line) => console.log(printable(line)),
  };
}

async function run(): Promise<0 | 1 | 2> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  const values = readArguments(process.argv.slice(2));
  const request = requestOf(values, stopping.signal);
  const { RAPPORT_URL: url = 'http://127.0.0.1:3000', RAPPORT_LOGIN: login, RAPPORT_PASSWORD: password } = process.env;
  if (!login || !password) throw new UsageError('RAPPORT_LOGIN and RAPPORT_PASSWORD say who runs it.');
  const client = await signIn({ url, login, password });
  try {
    const gated = await gatePrompts(client, request);
    if (values.junit !== undefined) writeFileSync(values.junit, toJunit(gated));
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(gated, null, 2)}\n`);
    return exitCodeOf(gated);
  } finally {
    await client.close();
  }
}

process.exitCode = await run().catch((error: unknown) => {
  if (error instanceof UsageError) console.error(`${error.message}\n${USAGE}`);
  else console.error(error instanceof CommandError ? printable(error.message) : error);
  return 2;
});
