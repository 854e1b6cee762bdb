/**
 * The CRM scenario: people drag cards while operators move leads. Hooks are lost, duplicated and shuffled; amoCRM
 * refuses, does not answer and is unreachable for an hour; one of two nodes is killed now and then. At the end leads
 * and cards must agree.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { syncIntegration } from '../../crm/amocrmContract.ts';
import { changeLeadStage, type Stage } from '../../leads/contract.ts';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import { createRandom, type Random } from '../../sandbox/random.ts';
import type { Client } from '../../testing/client.ts';
import { connectAmocrm, connectProduct, STEPS, UNMAPPED } from '../../testing/crm.ts';
import type { World } from '../../testing/world.ts';
import { callOrThrow, countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { verifyCrm, watchStalls } from '../harness/crmOracle.ts';
import { rowTable } from '../harness/report.ts';
import { type Nodes, namedNodes, startNodes, withWorld } from '../harness/world.ts';

interface CrmScenario {
  readonly seed: number;
  readonly cards: number;
  /** Moves of cards and leads together. */
  readonly moves: number;
  readonly deaths: number;
  readonly log: (line: string) => void;
}

const account = 'amocrm';
const API = { account, text: '/api/v4' };
const FAULTS: readonly Fault[] = [
  { kind: 'hooks.drop', match: { account }, probability: 0.25 },
  { kind: 'hooks.duplicate', match: { account }, probability: 0.3, copies: 2 },
  { kind: 'hooks.shuffle', match: { account }, probability: 0.3, size: 4, ms: 150 },
  { kind: 'hooks.fail', match: { account }, probability: 0.1 },
  { kind: 'amocrm.rate_limited', match: API, probability: 0.06 },
  { kind: 'amocrm.fail_before', match: API, probability: 0.05 },
  { kind: 'amocrm.fail_after', match: API, probability: 0.08 },
  { kind: 'amocrm.lose_answer', match: API, probability: 0.08 },
  { kind: 'amocrm.delay', match: API, probability: 0.15, ms: 300 },
];
const UNREACHABLE_FAULTS: readonly Fault[] = [{ kind: 'amocrm.down' }, { kind: 'hooks.fail', match: { account } }];

const DRAGGED_TO = [STEPS.initial, STEPS.started, STEPS.ongoing, STEPS.pending, UNMAPPED, STEPS.success, STEPS.failed];
const MOVED_TO: readonly Stage[] = ['started', 'ongoing', 'pending', 'success', 'failed'];
const HOUR = 3_600_000;

/** `--cards C --moves M --deaths K`. */
export const crm = definePart({
  heading: 'The CRM under kills',
  options: { cards: [20, 4], moves: [300, 16], deaths: [10, 4] },
  run: (settings) =>
    withWorld({}, async (world) => {
      const { violations, ...counts } = await runCrmScenario(settings, world);
      return {
        text: `Cards dragged while leads are moved, hooks lost, duplicated and shuffled, answers lost, an hour without the CRM, two nodes of which one is killed now and then. Peak: most calls in a second; events: recorded moves.

${rowTable(counts)}`,
        violations,
      };
    }),
});

/** Run the scenario and verify the result. The world must not serve anything itself. */
export async function runCrmScenario(scenario: CrmScenario, world: World) {
  const watch = watchStalls();
  await world.control.changeSettings({ seed: scenario.seed, amocrm: { pausesMs: [50, 50, 50, 50] } });
  const env = { RAPPORT_CRM_POLL_SECONDS: '0.3', RAPPORT_LOG_LEVEL: 'error' };
  const nodes = await startNodes(world, namedNodes(2, env));
  try {
    const board = new Board(world, nodes, { random: createRandom(scenario.seed), operator: await world.operator() });
    await board.run(scenario);
    const { dragged, moved, kills } = board;
    return { dragged, moved, kills, ...(await verifyCrm(world, watch.stalls)) };
  } finally {
    watch.end();
    await nodes.close();
  }
}

class Board {
  dragged = 0;
  moved = 0;
  kills = 0;
  readonly #world: World;
  readonly #nodes: Nodes;
  readonly #random: Random;
  readonly #operator: Client;
  readonly #cards: number[] = [];

  constructor(world: World, nodes: Nodes, { random, operator }: { random: Random; operator: Client }) {
    this.#world = world;
    this.#nodes = nodes;
    this.#random = random;
    this.#operator = operator;
  }

  async run({ cards, moves, deaths, log }: CrmScenario): Promise<void> {
    const { control } = this.#world;
    const random = this.#random;
    const integration = await connectAmocrm(this.#world, this.#operator);
    await connectProduct(this.#world, this.#operator, integration);
    for (let index = 0; index < cards; index++) await this.#addCard(`Card ${index + 1}`);
    await this.#world.drain(60_000);
    await control.setFaults([...FAULTS]);
    for (let move = 0; move < moves; move++) {
      if (move === Math.floor(moves / 2)) await this.#makeCrmUnreachable(3);
      if (this.kills < deaths && random.chance(deaths / moves)) await this.#killNode();
      if (random.chance(0.05)) await this.#addCard(`Later ${move}`);
      await this.#makeMove();
      await pause(random.integer(0, 150));
      if ((move + 1) % 100 === 0) log(`${move + 1} of ${moves} moves, ${this.kills} kills`);
    }
    while (this.kills < deaths) await this.#killNode();
    // A full sync finds whatever was lost on the way.
    await control.setFaults([]);
    await this.#world.drain(120_000);
    await callOrThrow(this.#operator, syncIntegration, { params: { id: integration } });
    await this.#world.drain(120_000);
  }

  async #addCard(name: string): Promise<void> {
    this.#cards.push((await this.#world.control.amocrm.makeCard({ name })).id);
  }

  /** Move a card in the CRM or a lead here. */
  async #makeMove(): Promise<void> {
    const card = this.#random.pick(this.#cards);
    if (this.#random.chance(0.5)) {
      this.dragged++;
      await this.#world.control.amocrm.changeCard(card, { status_id: this.#random.pick(DRAGGED_TO) });
      return;
    }
    const { rows } = await this.#world.pool.query<{ id: number }>('select id::int from leads where crm_id = $1', [
      String(card),
    ]);
    const [lead] = rows;
    if (!lead) return;
    const query = { new_stage: this.#random.pick(MOVED_TO) };
    await callOrThrow(this.#operator, changeLeadStage, { params: { id: lead.id }, query });
    this.moved++;
  }

  /** Make amoCRM unreachable for an hour while people and operators continue. */
  async #makeCrmUnreachable(moves: number): Promise<void> {
    const { control, pool } = this.#world;
    await control.setFaults([...UNREACHABLE_FAULTS]);
    for (let move = 0; move < moves; move++) await this.#makeMove();
    await control.setClock(HOUR);
    await pool.query('update installation set clock_offset = make_interval(secs => $1)', [HOUR / 1000]);
    for (let move = 0; move < moves; move++) await this.#makeMove();
    const failed = async (): Promise<number> =>
      (await countRows(pool, 'amocrm_accounts where attempts > 0')) +
      (await countRows(pool, 'crm_cards where attempts > 0'));
    await this.#world.waitUntil(async () => (await failed()) > 0, 'a failed attempt to reach the CRM');
    await control.setFaults([...FAULTS]);
  }

  async #killNode(): Promise<void> {
    const node = this.#random.pick(this.#nodes.nodes);
    await node.kill();
    this.kills++;
    await node.start();
  }
}
