/** The steps of both engines that take the decisions of a kind. */
import type pg from 'pg';
import type { SendPolicy } from '../../conversations/sendPolicy.ts';
import type { SweepTools } from '../../jobs/sweeps.ts';
import type { CancelPending } from '../../leads/changeStage.ts';
import type { DueAction } from '../../outreach/evaluateDue.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { type Engine, insert, setClocks } from './engines.ts';
import type { Case, Rows } from './facts.ts';

/** Take the decisions of the batch that was seeded. */
type Decide = (engine: Engine, cases: readonly Case[]) => Promise<void>;
export interface Steps {
  readonly old: Decide;
  readonly new: Decide;
}

/** The functions of the old engine that today's has in another form. */
interface OldEngine {
  deliver(context: AppContext, policy: SendPolicy, dialogueId: number): Promise<void>;
  evaluateDue(context: AppContext): Promise<void>;
  expireLead(context: AppContext, cancelPending: CancelPending, leadId: number): Promise<void>;
  receiveItems(context: AppContext, ids: readonly number[]): Promise<void>;
  reply(context: AppContext, dialogueId: number): Promise<void>;
  sortByVendorTime(reader: AppContext['reader'], ids: readonly number[]): Promise<number[]>;
  sendFirstMessages(context: AppContext, policy: SendPolicy, productId: number): Promise<void>;
  sendFollowUp(context: AppContext, leadId: number): Promise<void>;
}

/** A step of the old engine runs once per row, for some rows at a time. */
const AT_ONCE = 6;

async function forEach(ids: readonly number[], work: (id: number) => Promise<void>): Promise<void> {
  const rest = [...ids];
  const run = async () => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift()) await work(id);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
}

async function idsOf(client: pg.Client, statement: string): Promise<number[]> {
  const { rows } = await client.query<{ id: string }>(statement);
  return rows.map(({ id }) => Number(id));
}

async function policyOf({ load }: Engine): Promise<{ policy: SendPolicy; cancelPending: CancelPending }> {
  const { createSendPolicy } = await load<typeof import('../../outreach/sendPolicy.ts')>('outreach/sendPolicy.ts');
  const { cancelPending } = await load<typeof import('../../conversations/ownership.ts')>('conversations/ownership.ts');
  return { policy: createSendPolicy(cancelPending), cancelPending };
}

/** Run a sweep until nothing is due, and what it starts beside it. */
async function sweep(run: (tools: SweepTools) => Promise<unknown>, runs = Number.POSITIVE_INFINITY): Promise<void> {
  const running = new Set<Promise<void>>();
  const tools: SweepTools = {
    isWaiting: () => false,
    queues: () => new Map(),
    wake: () => undefined,
    start(_queue, _key, work) {
      const ended: Promise<void> = work().finally(() => running.delete(ended));
      running.add(ended);
      return true;
    },
  };
  for (let hasMore = true, number = 1; hasMore && number <= runs; number++) {
    const next = await run(tools);
    hasMore = next === true || running.size > 0;
    while (running.size > 0) await Promise.all(running);
  }
}

const PARKED = "select id from inbox where state = 'parked' and parked_until is not null order by id";

/** Have each round of items arrive, and be processed, before the next one. */
const receive: Steps = {
  async old(engine, cases) {
    const { load, client, context } = engine;
    const { receiveItems } = await load<OldEngine>('inbox/receive.ts');
    const { sortByVendorTime } = await load<OldEngine>('inbox/store/items.ts');
    for (const round of rounds(cases)) {
      await insert(engine, round);
      const byCase = round.map(({ inbox = [] }) => inbox.map((row) => Number(row['id'])));
      await forEach([...byCase.keys()], async (index) =>
        receiveItems(context, await sortByVendorTime(context.reader, byCase[index] ?? [])),
      );
    }
    await endParking(client);
    await receiveItems(context, await idsOf(client, PARKED));
  },
  async new(engine, cases) {
    const { load, client, context } = engine;
    const { receiveItems } = await load<typeof import('../../inbox/receive.ts')>('inbox/receive.ts');
    const { receiveReports } = await load<typeof import('../../inbox/receiveReports.ts')>('inbox/receiveReports.ts');
    const sweepAll = async () => {
      while ((await receiveReports(context)) === true);
      while ((await receiveItems(context, null)) > 0);
    };
    for (const round of rounds(cases)) {
      await insert(engine, round);
      await sweepAll();
    }
    await endParking(client);
    await sweepAll();
  },
};

const rounds = (cases: readonly Case[]): Rows[][] =>
  Array.from({ length: Math.max(...cases.map((one) => one.rounds.length)) }, (_none, index) =>
    cases.map((one) => one.rounds[index] ?? {}),
  );

/** Let the time pass for which an echo waits for its send. */
async function endParking(client: pg.Client): Promise<void> {
  await client.query(`update inbox set parked_until = '-infinity' where state = 'parked' and parked_until is not null`);
}

const send: Steps = {
  async old(engine) {
    const { deliver } = await engine.load<OldEngine>('outbox/deliver.ts');
    const { policy } = await policyOf(engine);
    const due = `select distinct dialogue_id as id from messages where status = 'scheduled' and scheduled_at <= domain_now()`;
    await forEach(await idsOf(engine.client, due), (id) => deliver(engine.context, policy, id));
  },
  async new(engine) {
    const { sendDue } = await engine.load<typeof import('../../outbox/sendDue.ts')>('outbox/sendDue.ts');
    const { receiveReports } =
      await engine.load<typeof import('../../inbox/receiveReports.ts')>('inbox/receiveReports.ts');
    const { policy } = await policyOf(engine);
    await sweep(async (tools) => {
      const next = await sendDue(engine.context, policy, tools);
      return (await receiveReports(engine.context)) === true || next;
    });
    await receiveReports(engine.context);
  },
};

const reply: Steps = {
  async old({ load, client, context }) {
    const module = await load<OldEngine>('conversations/reply.ts');
    await forEach(await idsOf(client, 'select id from dialogues where turn_due_at is not null'), (id) =>
      module.reply(context, id),
    );
  },
  async new({ load, context }) {
    const { replyToDueTurns } = await load<typeof import('../../conversations/reply.ts')>('conversations/reply.ts');
    // Once: a turn that has changed meanwhile stays due.
    await sweep((tools) => replyToDueTurns(context, tools), 1);
  },
};

/** Let a moment pass: a lead is evaluated anew because of what was done after the evaluation. */
async function tick(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ at: string }>("select (domain_now() + interval '1 ms')::text as at");
  await setClocks(client, rows[0]?.at ?? '');
}

const plan: Steps = {
  async old(engine) {
    const { load, client, context } = engine;
    const { evaluateDue } = await load<OldEngine>('outreach/evaluateDue.ts');
    const { expireLead } = await load<OldEngine>('outreach/expireLead.ts');
    const { sendFollowUp } = await load<OldEngine>('outreach/sendFollowUp.ts');
    const { cancelPending } = await policyOf(engine);
    await evaluateDue(context);
    await tick(client);
    const due = (action: string) =>
      idsOf(client, `select lead_id as id from outreach where next_action = '${action}' and reason->>'code' = 'now'`);
    await forEach(await due('expire'), (id) => expireLead(context, cancelPending, id));
    await forEach(await due('ping'), (id) => sendFollowUp(context, id));
    await evaluateDue(context);
  },
  async new(engine) {
    const { load, context } = engine;
    const { evaluateDue } = await load<typeof import('../../outreach/evaluateDue.ts')>('outreach/evaluateDue.ts');
    const { actOnDue } = await load<typeof import('../../outreach/actOnDue.ts')>('outreach/actOnDue.ts');
    const { cancelPending } = await policyOf(engine);
    const due: DueAction[] = [];
    const evaluate = () => evaluateDue(context, async (some) => void due.push(...some));
    while ((await evaluate()) === true);
    await tick(engine.client);
    await sweep((tools) => actOnDue(context, { due, cancelPending, tools }), 1);
    await evaluate();
  },
};

const first: Steps = {
  async old(engine) {
    const { sendFirstMessages } = await engine.load<OldEngine>('outreach/sendFirstMessages.ts');
    const { policy } = await policyOf(engine);
    const due = 'select product_id as id from outreach_products where next_at <= domain_now()';
    // An outcome makes its queue due again.
    for (let pass = 0; pass < 3; pass++)
      await forEach(await idsOf(engine.client, due), (id) => sendFirstMessages(engine.context, policy, id));
    await send.old(engine, []);
  },
  async new(engine) {
    const { serveQueues } = await engine.load<typeof import('../../outreach/sendFirstMessages.ts')>(
      'outreach/sendFirstMessages.ts',
    );
    const { policy } = await policyOf(engine);
    await sweep((tools) => serveQueues(engine.context, policy, tools));
    await send.new(engine, []);
  },
};

export const steps = { receive, send, reply, plan, first };
