/**
 * Replays of real dialogues: one that is resumed after its workers were killed, and five in each of which a regression is
 * planted in five dialogues. `--dialogues N --turns N --kills N`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import {
  listStudioResults,
  type StudioResult,
  type StudioRun,
  startStudioRun,
  studioResult,
} from '../../studio/runContract.ts';
import type { Client } from '../../testing/client.ts';
import type { World } from '../../testing/world.ts';
import { callOrThrow, countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { insertLeads } from '../harness/leads.ts';
import { format, formatCount, table } from '../harness/report.ts';
import { type ServerNode, withNodes } from '../harness/world.ts';
import { readRun, waitForStudioRun } from './studioRun.ts';

/** US dollars, far more than a run on the emulators costs. */
const BUDGET = 1000;
const POLL_MS = 100;
/** Samples that a worker makes at once for one model: a quarter of what it does at once. */
const IN_FLIGHT = 4;
const FIRST_RESULTS = 10;

/** The model varies its answers as models do: how often each variation happens. */
const VARIATIONS = ['opens_gladly 40 %', 'thanks 30 %', 'adds_hours 10 %', 'asks_nothing 2 %'];
const TEXT = `You are Vera. You write to {{ lead.name }} about kitchens.
A kitchen costs from 4200 euros.
Delivery takes six weeks.
You find pictures at https://kitchens-to-measure.com/pictures.
The showroom is open from 10:00 to 19:00.
Fronts are made of oak or ash.

# Questions
- How long is the wall of your kitchen?
${VARIATIONS.map((variation) => `Fault: ${variation}`).join('\n')}`;

const QUESTIONS = [
  'How much does a kitchen cost?',
  'How long does delivery take?',
  'Where can I find pictures?',
  'When is the showroom open?',
  'What are the fronts made of?',
];

/** What goes wrong, and where it shows: at every answer, or only at one that states what goes wrong. */
const REGRESSIONS = [
  ['a wrong price', 'wrong_price'],
  ['no question any more', 'asks_nothing'],
  ['another language', 'foreign_language'],
  ['a hand-over without need', 'hands_over_always'],
  ['a lost link', 'drops_links'],
  ['three times as long', 'too_long'],
] as const;
/** Dialogues in which a regression is planted. */
const PLANTED = 5;

export const replay = definePart({
  heading: 'Replay',
  options: { dialogues: [50, 10], turns: [10, 5], kills: [6, 2] },
  run: ({ dialogues, turns, kills, log }) =>
    withNodes(
      { production: true, emulators: 'process', nodes: [{ RAPPORT_ROLES: 'web' }, WORKER, WORKER] },
      async (world, [, ...workers]) => {
        const operator = await world.operator('root');
        const studio = { world, operator, promptId: await prepare(world, dialogues, turns) };
        const before = await untouched(world.pool);
        const resumed = await resume(studio, { workers, kills, log });
        const found: { name: string; found: number; changed: number; seconds: number; answers: number }[] = [];
        for (const [name, fault] of REGRESSIONS) {
          const one = await findRegression(studio, fault);
          found.push({ name, ...one });
          log(`${name}: ${one.found} of ${PLANTED} dialogues among the first ${FIRST_RESULTS} results`);
        }
        const after = await untouched(world.pool);
        const missed = found.filter((one) => one.found < PLANTED);
        const { run } = resumed;
        return {
          text: `${dialogues} dialogues with ${turns} answers each, by a model whose answers vary (${VARIATIONS.join(', ')}). One replay of what is live, while its two workers are killed ${resumed.kills} times: ${formatCount(run.progress.done)} answers in ${format(resumed.seconds, 's')}, ${resumed.repeated} calls were made again because a worker died during them, and ${resumed.doubled} samples exist twice. ${changedOf(run)} of ${formatCount(dialogues * turns)} turns seem changed although nothing is. Rows of the outbox, messages and outcomes that all replays have changed: ${before === after ? 'none' : 'some'}; calls of a messenger: ${resumed.sent}.

Then a regression is planted in ${PLANTED} of the dialogues:

${table(
  [
    'regression',
    `dialogues among the first ${FIRST_RESULTS} results`,
    'turns that seem changed',
    'answers generated',
    'seconds',
  ],
  found.map((one) => [
    one.name,
    `**${one.found}** of ${PLANTED}`,
    one.changed,
    formatCount(one.answers),
    format(one.seconds),
  ]),
)}`,
          violations: [
            ...resumed.violations,
            ...(before === after ? [] : ['a replay has changed the outbox, messages or outcomes']),
            ...missed.map(
              (one) =>
                `${one.name}: only ${one.found} of ${PLANTED} dialogues are among the first ${FIRST_RESULTS} results`,
            ),
          ],
        };
      },
    ),
});

const WORKER = { RAPPORT_ROLES: 'worker', RAPPORT_LEASE_SECONDS: '2' };

/** Store the prompt and dialogues that another version of it has answered. Returns the prompt's id. */
async function prepare({ pool, productId, whatsapp }: World, dialogues: number, turns: number): Promise<number> {
  await pool.query('update products set hand_over = true');
  const { rows } = await pool.query<{ id: string }>(
    'update prompts set text = $1, version = 2, live_text = $1, live_version = 2 returning id',
    [TEXT],
  );
  const promptId = Number(rows[0]?.id);
  await pool.query('insert into prompt_versions (prompt_id, version, text) values ($1, 2, $2)', [promptId, TEXT]);
  const products = [{ id: productId, channelId: whatsapp.id }];
  await insertLeads(pool, { count: dialogues, products, stage: 'ongoing', days: 1 });
  await pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id,
                           model_vendor, model_name, prompt_id, prompt_name, prompt_version, created_at, thread_at)
     select d.product_id, d.contact_id, d.id, d.channel_id,
            case when n % 2 = 0 then ($2::text[])[1 + (d.id + n / 2) % cardinality($2::text[])] else 'Thank you, I note that.' end,
            case when n % 2 = 0 then 'user' else 'bot' end, case when n % 2 = 0 then 'lead' else 'bot' end,
            case when n % 2 = 0 then 'inbound' else 'read' end, 'replayed ' || d.id || ' ' || n,
            case when n % 2 = 1 then 'chatgpt' end, case when n % 2 = 1 then 'gpt-4o-mini' end,
            case when n % 2 = 1 then $3::bigint end, case when n % 2 = 1 then 'Vera' end, case when n % 2 = 1 then 1 end, at, at
       from dialogues d cross join generate_series(0, 2 * $1::int - 1) n
       cross join lateral (select domain_now() - (2 * $1::int - n) * interval '7 minutes' as at) t
      order by d.id, n`,
    [turns, QUESTIONS, promptId],
  );
  return promptId;
}

interface Studio {
  readonly world: World;
  readonly operator: Client;
  readonly promptId: number;
}

/** A hash of everything that a replay may not touch. */
async function untouched(pool: pg.Pool): Promise<string> {
  const hashOf = async (name: string) => {
    const { rows } = await pool.query<{ hash: string }>(
      `select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as hash from ${name} t`,
    );
    return rows[0]?.hash ?? '';
  };
  return (
    await Promise.all(['messages', 'dialogues', 'leads', 'lead_events', 'outcomes', 'hand_overs'].map(hashOf))
  ).join();
}

async function start({ operator, promptId }: Studio, text: string): Promise<number> {
  return callOrThrow(operator, startStudioRun, {
    body: { kind: 'replay', prompt_id: promptId, text, sample: 500, budget: BUDGET },
  });
}

const changedOf = ({ verdict }: StudioRun): number => (verdict?.kind === 'replay' ? verdict.changed.count : Number.NaN);

/** Replay what is live while the workers are killed one after the other, and count what was made twice. */
async function resume(
  studio: Studio,
  { workers, kills, log }: { workers: readonly ServerNode[]; kills: number; log: (line: string) => void },
) {
  const { world } = studio;
  const callsBefore = (await world.control.entriesOf('completion')).length;
  const storedBefore = await countRows(world.pool, 'llm_runs');
  const startedAt = performance.now();
  const id = await start(studio, TEXT);
  const { progress } = await readRun(studio.operator, id);
  let done = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    // Spread over the run, whatever its speed is.
    for (const wanted = (progress.total * kill) / (kills + 1); done < wanted; await pause(POLL_MS / 5)) {
      const now = await readRun(studio.operator, id);
      done = now.finished_at === null ? now.progress.done : Number.POSITIVE_INFINITY;
    }
    const worker = workers[kill % workers.length];
    await worker?.kill();
    await worker?.start();
    log(`worker killed at ${done} of ${progress.total} answers`);
  }
  const run = await waitForStudioRun(studio.operator, id);
  const seconds = (performance.now() - startedAt) / 1000;
  // A sample may need more than one call. Each call whose answer was stored is a run.
  const calls = (await world.control.entriesOf('completion')).length - callsBefore;
  const stored = (await countRows(world.pool, 'llm_runs')) - storedBefore;
  const doubled = await countRows(
    world.pool,
    `(select 1 from studio_samples where run_id = ${id} group by subject_id, arm, repeat having count(*) > 1) as d`,
  );
  const sent = (await world.control.entriesOf('reached')).length;
  const violations = [
    ...(run.state === 'done' ? [] : [`the replay ended as ${run.state}: ${run.reason}`]),
    ...(run.progress.done === run.progress.total ? [] : ['answers are missing']),
    ...(doubled === 0 ? [] : [`${doubled} samples exist twice`]),
    ...(calls <= stored + kills * IN_FLIGHT
      ? []
      : [`${calls} calls, of which ${stored} were stored: more were lost than were in flight when workers died`]),
    ...(sent === 0 ? [] : [`${sent} messages reached a phone`]),
  ];
  return { run, seconds, repeated: calls - stored, doubled, sent, kills, violations };
}

/** Plant a fault for some leads, replay, and count their dialogues among the first results. */
async function findRegression(studio: Studio, fault: string) {
  const { rows } = await studio.world.pool.query<{ name: string; id: string }>(
    'select l.name, d.id from leads l join contacts c on c.lead_id = l.id join dialogues d on d.contact_id = c.id order by l.id',
  );
  const step = Math.floor(rows.length / PLANTED);
  const planted = rows.filter((_, index) => index % step === 1).slice(0, PLANTED);
  const names = planted.map(({ name }) => `lead.name == '${name}'`).join(' or ');
  const startedAt = performance.now();
  const id = await start(studio, `${TEXT}\n{% if ${names} %}Fault: ${fault}{% endif %}`);
  const run = await waitForStudioRun(studio.operator, id);
  const { body } = await studio.operator.call(listStudioResults, { params: { id }, query: { limit: FIRST_RESULTS } });
  const first = resultsOf(body).map(({ subject }) => String(subject.dialogue_id));
  return {
    found: planted.filter((one) => first.includes(one.id)).length,
    changed: changedOf(run),
    answers: run.progress.done,
    seconds: (performance.now() - startedAt) / 1000,
  };
}

const resultsOf = (body: unknown): StudioResult[] =>
  typeof body === 'object' && body !== null && 'items' in body ? studioResult.array().parse(body.items) : [];
