/** Writes gates as a JUnit report, which build servers show: a suite for each prompt, a test for each case. Pure. */
import type { StudioRun } from '../runContract.ts';

/** A gate that has ended, or why a prompt has none. */
export interface GatedPrompt {
  readonly name: string;
  readonly run: StudioRun | null;
  /** Why it could not be judged; null: it was. */
  readonly problem: string | null;
}

type Gate = Extract<NonNullable<StudioRun['verdict']>, { kind: 'gate' }>;
type Case = Gate['cases'][number];

export const gateOf = (run: StudioRun | null): Gate | null => (run?.verdict?.kind === 'gate' ? run.verdict : null);

export function toJunit(prompts: readonly GatedPrompt[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: 'Rapport studio' }, prompts.map(suiteOf))}\n`;
}

function suiteOf({ name, run, problem }: GatedPrompt): string {
  const gate = gateOf(run);
  const cases = gate?.cases ?? [];
  // What no single case shows: all cases together are worse, or nothing could be judged.
  const whole = gate?.state === 'red' && cases.every(({ state }) => state !== 'red') ? gate.reasons.join(' ') : null;
  const ofAll = [
    ...(whole === null ? [] : [testOf('All cases together', name, [failure(whole)])]),
    ...(problem === null ? [] : [testOf('The gate', name, [element('error', { message: problem })])]),
  ];
  const count = (...states: Case['state'][]) => cases.filter(({ state }) => states.includes(state)).length;
  const seconds =
    run?.started_at && run.finished_at ? (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000 : 0;
  const counts = {
    tests: cases.length + ofAll.length,
    failures: count('red') + (whole === null ? 0 : 1),
    errors: count('missing') + (problem === null ? 0 : 1),
    skipped: count('advisory'),
  };
  return element('testsuite', { name, time: seconds.toFixed(3), ...counts }, [
    ...(run ? [element('properties', {}, propertiesOf(run))] : []),
    ...cases.map((one) => testOf(one.name, name, outcomeOf(one))),
    ...ofAll,
  ]);
}

const propertiesOf = ({ id, version, live_version: live, model, spent }: StudioRun): string[] =>
  Object.entries({
    run: id,
    version: version ?? 'not saved',
    live_version: live ?? 'none',
    model: `${model.vendor}/${model.model}`,
    spent_usd: spent,
  }).map(([name, value]) => element('property', { name, value }));

const testOf = (name: string, classname: string, inner: readonly string[]): string =>
  element('testcase', { name, classname }, inner);

const failure = (message: string): string => element('failure', { message });

function outcomeOf({ state, reasons, candidate, live }: Case): string[] {
  const message = reasons.join(' ');
  const rates = `${candidate.count} of ${candidate.total} answers pass, and ${live.count} of ${live.total} of what is live.`;
  switch (state) {
    case 'green':
      return [];
    case 'red':
      return [element('failure', { message }, [escapeXml([...reasons, rates].join('\n'))])];
    case 'missing':
      return [element('error', { message })];
    case 'advisory':
      return [element('skipped', { message: `Advice of a judge that is not calibrated. ${message}`.trim() })];
    default:
      return state satisfies never;
  }
}

function element(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  inner: readonly string[] = [],
): string {
  const all = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`);
  const start = `<${tag}${all.join('')}`;
  return inner.length === 0 ? `${start}/>` : `${start}>${inner.join('')}</${tag}>`;
}

/** Characters that XML 1.0 cannot contain in any form (https://www.w3.org/TR/xml/#charsets). */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

export const escapeXml = (text: string): string =>
  text.replaceAll(NOT_XML, '\ufffd').replaceAll(/[&<>"\n\r\t]/g, (character) => ENTITIES[character] ?? character);
