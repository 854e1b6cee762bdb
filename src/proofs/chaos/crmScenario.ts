/**
 * The CRM scenario: people drag cards while operators move leads. Hooks are lost, duplicated and shuffled; amoCRM
 * refuses, does not answer and is unreachable for an hour; one of two nodes is killed now and then. At the end leads
 * and cards must agree.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { syncIntegration } from '../../crm/amocrmContract.ts';
import { changeLeadStage, type Stage } from '../../leads/contract.ts';
import type { Fault } from '../../sandbox/emulators/contract.ts';
import type { Client } from '../../testing/client.ts';
import { connectAmocrm, connectProduct, STEPS, UNMAPPED } from '../../testing/crm.ts';
import { type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { freePort, type World } from '../../testing/world.ts';
import { createRandom } from '../simulate/random.ts';
import { startBalancer } from './balancer.ts';
import { type CrmVerification, verifyCrm, watchStalls } from './verifyCrm.ts';

export interface CrmScenario {
  readonly seed: number;
  readonly cards: number;
  /** Moves of cards and leads together. */
  readonly moves: number;
  readonly kills: number;
  readonly log: (line: string) => void;
}

export interface CrmScenarioResult extends CrmVerification {
  /** Moves that people made on the board, and those that operators made here. */
  readonly dragged: number;
  readonly moved: number;
  readonly kills: number;
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

/** Run the scenario and verify the result. The world must not serve anything itself. */
export async function runCrmScenario(scenario: CrmScenario, world: World): Promise<CrmScenarioResult> {
  const { control, pool } = world;
  const random = createRandom(scenario.seed);
  const watch = watchStalls();
  const counts = { dragged: 0, moved: 0, kills: 0 };
  await control.changeSettings({ seed: scenario.seed, amocrm: { pausesMs: [50, 50, 50, 50] } });
  const ports = [await freePort(), await freePort()];
  const balancer = await startBalancer(world.port, ports);
  const nodes: ServerProcess[] = ports.map((_port, index) => start(index));
  try {
    await Promise.all(nodes.map((node) => node.waitUntilReady()));
    const operator = await world.operator();
    const integration = await connectAmocrm(world, operator);
    await connectProduct(world, operator, integration);
    const cards: number[] = [];
    for (let index = 0; index < scenario.cards; index++) cards.push(await newCard(`Card ${index + 1}`));
    await world.drain(60_000);

    const outageAt = Math.floor(scenario.moves / 2);
    await control.setFaults([...FAULTS]);
    for (let move = 0; move < scenario.moves; move++) {
      if (move === outageAt) await makeCrmUnreachable(3, operator, cards);
      if (counts.kills < scenario.kills && random.chance(scenario.kills / scenario.moves)) await killNode();
      if (random.chance(0.05)) cards.push(await newCard(`Later ${move}`));
      await makeMove(operator, cards);
      await pause(random.integer(0, 150));
      if ((move + 1) % 100 === 0) scenario.log(`${move + 1} of ${scenario.moves} moves, ${counts.kills} kills`);
    }
    while (counts.kills < scenario.kills) await killNode();

    // A full sync finds whatever was lost on the way.
    await control.setFaults([]);
    await world.drain(120_000);
    const syncAnswer = await operator.call(syncIntegration, { params: { id: integration } });
    if (syncAnswer.status !== 200) throw new Error(`No look was taken: ${JSON.stringify(syncAnswer.body)}`);
    await world.drain(120_000);
    return { ...(await verifyCrm(world, watch.stalls)), ...counts };
  } finally {
    watch.end();
    await Promise.all(nodes.map((node) => node.kill()));
    await balancer.close();
  }

  function start(index: number): ServerProcess {
    return startServer(world, {
      PORT: String(ports[index]),
      RAPPORT_PUBLIC_URL: world.url,
      RAPPORT_NODE_NAME: `node ${index + 1}`,
      RAPPORT_CRM_POLL_SECONDS: '0.3',
      RAPPORT_LOG_LEVEL: 'error',
    });
  }

  async function newCard(name: string): Promise<number> {
    return (await control.amocrm.makeCard({ name })).id;
  }

  /** Move a card in the CRM or a lead here. */
  async function makeMove(operator: Client, cards: readonly number[]): Promise<void> {
    const card = random.pick(cards);
    if (random.chance(0.5)) {
      counts.dragged++;
      await control.amocrm.changeCard(card, { status_id: random.pick(DRAGGED_TO) });
      return;
    }
    const { rows } = await pool.query<{ id: string }>('select id from leads where crm_id = $1', [String(card)]);
    const [lead] = rows;
    if (!lead) return;
    const query = { new_stage: random.pick(MOVED_TO) };
    const answer = await operator.call(changeLeadStage, { params: { id: Number(lead.id) }, query });
    if (answer.status !== 200) throw new Error(`Not moved: ${answer.status} ${JSON.stringify(answer.body)}`);
    counts.moved++;
  }

  /** Make amoCRM unreachable for an hour while people and operators continue. */
  async function makeCrmUnreachable(moves: number, operator: Client, cards: readonly number[]): Promise<void> {
    await control.setFaults([...UNREACHABLE_FAULTS]);
    for (let move = 0; move < moves; move++) await makeMove(operator, cards);
    await control.setClock(HOUR);
    await pool.query('update installation set clock_offset = make_interval(secs => $1)', [HOUR / 1000]);
    for (let move = 0; move < moves; move++) await makeMove(operator, cards);
    await world.waitUntil(async () => {
      const { rows } = await pool.query(
        'select 1 from amocrm_accounts where attempts > 0 union all select 1 from crm_cards where attempts > 0',
      );
      return rows.length > 0;
    }, 'somebody tried in vain');
    await control.setFaults([...FAULTS]);
  }

  async function killNode(): Promise<void> {
    const index = random.integer(0, nodes.length - 1);
    await nodes[index]?.kill();
    counts.kills++;
    // Another process may have taken the old port meanwhile; the balancer reads this array for each connection.
    ports[index] = await freePort();
    const next = start(index);
    nodes[index] = next;
    await next.waitUntilReady();
  }
}
