/** Writes bench/LOAD.md: the load that was served, how fast, and the answers beyond it. */

import { loadavg } from 'node:os';
import { join } from 'node:path';
import { machineWithDatabase, type Report, writeSection } from '../../testing/reportSections.ts';
import type { DialogueLoadResult } from './dialogues.ts';
import { percentile } from './hookSender.ts';
import type { HookLoadResult } from './hooks.ts';
import type { LiveLoadResult } from './live.ts';
import type { OverloadResult } from './overload.ts';
import { depthTable } from './queueDepth.ts';

export const PARTS = {
  hooks: 'Hooks a second',
  live: 'Consoles that listen',
  dialogues: 'Dialogues that talk at once',
  overload: 'More than a node holds',
} as const;

export interface Outcome {
  readonly passed: boolean;
  readonly command: string;
  readonly text: string;
}

const LOAD: Report = {
  file: join(import.meta.dirname, '../../../bench/LOAD.md'),
  title: 'Load',
  intro:
    "Made by `npm run load`; with `-- --only hooks,live` the parts named are measured anew and the others kept. PostgreSQL, the nodes, the vendors' emulators and whoever makes the load share one machine. Nodes run both roles with the settings of a product in use.",
  headings: Object.values(PARTS),
};

export function writeOutcome(part: keyof typeof PARTS, { passed, command, text }: Outcome): void {
  const day = new Date().toISOString().slice(0, 10);
  const busy = `${(loadavg()[0] ?? 0).toFixed(1)} processes wanted a core at the end`;
  const summary = passed ? 'As promised.' : '**Not as promised**: see below.';
  writeSection(LOAD, PARTS[part], `\`${command}\`, ${day}, ${machineWithDatabase()}; ${busy}. ${summary}\n\n${text}`);
}

const formatCount = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number): string => `${formatCount(value)} ms`;
const mb = (bytes: number): string => `${formatCount(bytes / 2 ** 20)} MB`;
const formatCounts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, count]) => `${name}: ${formatCount(count)}`)
    .join(', ');
const violationList = (sentences: readonly string[]): string =>
  sentences.length === 0
    ? ''
    : `\n\n${sentences
        .slice(0, 20)
        .map((one) => `- ${one}`)
        .join('\n')}`;

export function hooksSection(perSecond: number, seconds: number, result: readonly HookLoadResult[]): Outcome {
  const violations = result.flatMap(({ stored, sentHooks }, index) => [
    ...(stored.missing + stored.doubled + stored.withoutMessage > 0
      ? [`${index + 1} nodes: of what was acknowledged ${formatCounts({ ...stored })}`]
      : []),
    ...(sentHooks.abandoned > 0 ? [`${index + 1} nodes: ${sentHooks.abandoned} hooks were never acknowledged`] : []),
  ]);
  const rows = result.map(
    ({ sentHooks, stored, drainedAfter, metrics }, index) =>
      `| ${index + 1} | ${formatCount(sentHooks.hooks)} | ${formatCount(sentHooks.perSecond)} | ${ms(percentile(sentHooks.answered, 0.5))} | ${ms(percentile(sentHooks.answered, 0.99))} | ${formatCounts(sentHooks.statuses)} | ${stored.missing} / ${stored.doubled} | ${drainedAfter.toFixed(1)} s | ${mb(metrics.rss)} |`,
  );
  const text = `${formatCount(perSecond)} new messages a second for ${seconds} s, each a hook of its own, from 2,000 chats that an operator leads. What is not answered with 200 comes again.

| nodes | hooks | acknowledged a second | p50 | p99 | answers by status | lost / doubled | all taken in after | memory of a node, at most |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

${result.map((one, index) => `With ${index + 1} of the nodes:\n\n${depthTable(one.metrics)}`).join('\n\n')}${violationList(violations)}`;
  return {
    passed: violations.length === 0,
    command: `npm run load -- --only hooks --rate ${perSecond} --seconds ${seconds}`,
    text,
  };
}

export function liveSection(result: LiveLoadResult): Outcome {
  const { consoles, messages, missing, foreign } = result;
  const text = `${consoles} consoles on \`/v1/live\`, over ${result.products} products; ${messages} new messages, five a second. From the hook's 200 to the console.

| told as they should be | not told | told of another product | p50 | p99 | memory of the node, at most |
|---|---|---|---|---|---|
| ${formatCount((messages * consoles) / result.products - missing)} | ${missing} | ${foreign} | ${ms(result.p50)} | ${ms(result.p99)} | ${mb(result.rss)} |`;
  const command = `npm run load -- --only live --consoles ${consoles} --messages ${messages}`;
  return { passed: missing + foreign === 0, command, text };
}

export function dialoguesSection(
  sizes: { readonly dialogues: number; readonly within: number; readonly concurrency: number; readonly nodes: number },
  result: DialogueLoadResult,
): Outcome {
  const { dialogues, within, concurrency, nodes } = sizes;
  const { answered, lasted, p50, p99, metrics, violations } = result;
  const text = `${formatCount(dialogues)} leads write within ${within} s to ${nodes} node(s) with \`RAPPORT_CONCURRENCY=${concurrency}\`; each answer falls due 5 s after the message, the model takes 1 s to its first token and 60 ms for each, and all go out by one Wazzup24 account with its limits on.

| answered | until the last | answers a second | message to answer, p50 | p99 | memory of a node, at most |
|---|---|---|---|---|---|
| ${formatCount(answered)} | ${formatCount(lasted)} s | ${(answered / lasted).toFixed(1)} | ${p50.toFixed(1)} s | ${p99.toFixed(1)} s | ${mb(metrics.rss)} |

${depthTable(metrics)}${violationList(violations)}`;
  const command = `npm run load -- --only dialogues --dialogues ${dialogues} --within ${within} --concurrency ${concurrency} --nodes ${nodes}`;
  return { passed: violations.length === 0 && answered === dialogues, command, text };
}

export function overloadSection(
  load: { readonly perSecond: number; readonly seconds: number },
  result: OverloadResult,
): Outcome {
  const { sentHooks, capacity, violations } = result;
  const text = `One node with room for ${capacity.hooks} hooks, ${capacity.calls} calls and ${capacity.streams} streams at once. ${formatCount(load.perSecond)} hooks a second for ${load.seconds} s, 64 callers who ask for a list again and again, and 80 live streams.

| | answers by status (0: none) | p99 of the refusals | p99 of the others |
|---|---|---|---|
| hooks | ${formatCounts(sentHooks.statuses)} | ${ms(percentile(sentHooks.refused, 0.99))} | ${ms(percentile(sentHooks.answered, 0.99))} |
| calls | ${formatCounts(result.calls)} | | ${ms(result.callsP99)} (all) |
| streams | ${formatCounts(result.streams)} | | |

Acknowledged: ${formatCount(sentHooks.acknowledged.length)} hooks in the end, the repeats included; lost ${result.stored.missing}, doubled ${result.stored.doubled}. \`/healthz\`: slowest ${ms(result.healthzMs)}, other than 200: ${result.unhealthy}. \`/readyz\` said ${formatCounts(result.ready)}. A list when all was over: ${ms(result.afterMs)}. Memory of the node, at most: ${mb(result.rss)}.${violationList(violations)}`;
  const command = `npm run load -- --only overload --rush ${load.perSecond} --rush-seconds ${load.seconds}`;
  return { passed: violations.length === 0, command, text };
}
