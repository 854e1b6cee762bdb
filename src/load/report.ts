/** bench/LOAD.md: what was borne, how quickly, and what was answered beyond that. */

import { loadavg } from 'node:os';
import { join } from 'node:path';
import { machineWithDatabase, type Report, writeSection } from '../testing/sections.ts';
import type { DialoguesBorne } from './dialogues.ts';
import { percentile } from './gun.ts';
import type { HooksBorne } from './hooks.ts';
import type { LiveBorne } from './live.ts';
import type { OverloadBorne } from './overload.ts';
import { depthTable } from './watch.ts';

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
  file: join(import.meta.dirname, '../../bench/LOAD.md'),
  title: 'Load',
  intro:
    "Made by `npm run load`; with `-- --only hooks,live` the parts named are measured anew and the others kept. PostgreSQL, the nodes, the vendors' emulators and whoever makes the load share one machine. Nodes run both roles with the settings of a product in use.",
  headings: Object.values(PARTS),
};

export function writeOutcome(part: keyof typeof PARTS, { passed, command, text }: Outcome): void {
  const day = new Date().toISOString().slice(0, 10);
  const busy = `${(loadavg()[0] ?? 0).toFixed(1)} processes wanted a core at the end`;
  const verdict = passed ? 'As promised.' : '**Not as promised**: see below.';
  writeSection(LOAD, PARTS[part], `\`${command}\`, ${day}, ${machineWithDatabase()}; ${busy}. ${verdict}\n\n${text}`);
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number): string => `${whole(value)} ms`;
const mb = (bytes: number): string => `${whole(bytes / 2 ** 20)} MB`;
const counted = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, count]) => `${name}: ${whole(count)}`)
    .join(', ');
const list = (sentences: readonly string[]): string =>
  sentences.length === 0
    ? ''
    : `\n\n${sentences
        .slice(0, 20)
        .map((one) => `- ${one}`)
        .join('\n')}`;

export function borneSection(perSecond: number, seconds: number, borne: readonly HooksBorne[]): Outcome {
  const wrong = borne.flatMap(({ stored, shots }, index) => [
    ...(stored.missing + stored.doubled + stored.withoutMessage > 0
      ? [`${index + 1} nodes: of what was acknowledged ${counted({ ...stored })}`]
      : []),
    ...(shots.givenUp > 0 ? [`${index + 1} nodes: ${shots.givenUp} hooks were never acknowledged`] : []),
  ]);
  const rows = borne.map(
    ({ shots, stored, drainedAfter, watched }, index) =>
      `| ${index + 1} | ${whole(shots.hooks)} | ${whole(shots.perSecond)} | ${ms(percentile(shots.answered, 0.5))} | ${ms(percentile(shots.answered, 0.99))} | ${counted(shots.statuses)} | ${stored.missing} / ${stored.doubled} | ${drainedAfter.toFixed(1)} s | ${mb(watched.rss)} |`,
  );
  const text = `${whole(perSecond)} new messages a second for ${seconds} s, each a hook of its own, from 2,000 chats that an operator leads. What is not answered with 200 comes again.

| nodes | hooks | acknowledged a second | p50 | p99 | answers by status | lost / doubled | all taken in after | memory of a node, at most |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}

${borne.map((one, index) => `With ${index + 1} of the nodes:\n\n${depthTable(one.watched)}`).join('\n\n')}${list(wrong)}`;
  return {
    passed: wrong.length === 0,
    command: `npm run load -- --only hooks --rate ${perSecond} --seconds ${seconds}`,
    text,
  };
}

export function liveSection(borne: LiveBorne): Outcome {
  const { consoles, messages, missing, foreign } = borne;
  const text = `${consoles} consoles on \`/v1/live\`, over ${borne.products} products; ${messages} new messages, five a second. From the hook's 200 to the console.

| told as they should be | not told | told of another product | p50 | p99 | memory of the node, at most |
|---|---|---|---|---|---|
| ${whole((messages * consoles) / borne.products - missing)} | ${missing} | ${foreign} | ${ms(borne.p50)} | ${ms(borne.p99)} | ${mb(borne.rss)} |`;
  const command = `npm run load -- --only live --consoles ${consoles} --messages ${messages}`;
  return { passed: missing + foreign === 0, command, text };
}

export function dialoguesSection(
  sizes: { readonly dialogues: number; readonly within: number; readonly concurrency: number; readonly nodes: number },
  borne: DialoguesBorne,
): Outcome {
  const { dialogues, within, concurrency, nodes } = sizes;
  const { answered, lasted, p50, p99, watched, violations } = borne;
  const text = `${whole(dialogues)} leads write within ${within} s to ${nodes} node(s) with \`RAPPORT_CONCURRENCY=${concurrency}\`; each answer falls due 5 s after the message, the model takes 1 s to its first token and 60 ms for each, and all go out by one Wazzup24 account with its limits on.

| answered | until the last | answers a second | message to answer, p50 | p99 | memory of a node, at most |
|---|---|---|---|---|---|
| ${whole(answered)} | ${whole(lasted)} s | ${(answered / lasted).toFixed(1)} | ${p50.toFixed(1)} s | ${p99.toFixed(1)} s | ${mb(watched.rss)} |

${depthTable(watched)}${list(violations)}`;
  const command = `npm run load -- --only dialogues --dialogues ${dialogues} --within ${within} --concurrency ${concurrency} --nodes ${nodes}`;
  return { passed: violations.length === 0 && answered === dialogues, command, text };
}

export function overloadSection(
  load: { readonly perSecond: number; readonly seconds: number },
  borne: OverloadBorne,
): Outcome {
  const { shots, room, violations } = borne;
  const text = `One node with room for ${room.hooks} hooks, ${room.calls} calls and ${room.streams} streams at once. ${whole(load.perSecond)} hooks a second for ${load.seconds} s, 64 callers who ask for a list again and again, and 80 live streams.

| | answers by status (0: none) | p99 of the refusals | p99 of the others |
|---|---|---|---|
| hooks | ${counted(shots.statuses)} | ${ms(percentile(shots.refused, 0.99))} | ${ms(percentile(shots.answered, 0.99))} |
| calls | ${counted(borne.calls)} | | ${ms(borne.callsP99)} (all) |
| streams | ${counted(borne.streams)} | | |

Acknowledged: ${whole(shots.acknowledged.length)} hooks in the end, the repeats included; lost ${borne.stored.missing}, doubled ${borne.stored.doubled}. \`/healthz\`: slowest ${ms(borne.healthzMs)}, other than 200: ${borne.unhealthy}. \`/readyz\` said ${counted(borne.ready)}. A list when all was over: ${ms(borne.afterMs)}. Memory of the node, at most: ${mb(borne.rss)}.${list(violations)}`;
  const command = `npm run load -- --only overload --rush ${load.perSecond} --rush-seconds ${load.seconds}`;
  return { passed: violations.length === 0, command, text };
}
