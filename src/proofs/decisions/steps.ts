/** The steps of both engines that take the decisions of a kind. */
import type { SendPolicy } from '../../conversations/sendPolicy.ts';
import type { SweepTools } from '../../jobs/sweeps.ts';
import type { CancelPending } from '../../leads/changeStage.ts';
import type { DueAction } from '../../outreach/evaluateDue.ts';
import type { AppContext } from '../../platform/appContext.ts';
import type { Hasher } from '../../platform/secretCipher.ts';
import { type Engine, insert, setClocks } from './engines.ts';
import { type Case, type Rows, range } from './facts.ts';

/** Take the decisions of the batch that was seeded. */
type Decide = (engine: Engine, cases: readonly Case[]) => Promise<void>;
export interface Steps {
  readonly old: Decide;
  readonly new: Decide;
}

interface Policies {
  readonly createSendPolicy: (cancelPending: CancelPending, hasher: Hasher) => SendPolicy;
  readonly cancelPending: CancelPending;
}
const POLICY_FILES = ['outreach/sendPolicy.ts', 'conversations/ownership.ts'];

/** The functions of the old engine that today's has in another form. */
interface OldEngine extends Policies {
  readonly deliver: (context: AppContext, policy: SendPolicy, dialogueId: number) => Promise<void>;
  readonly evaluateDue: (context: AppContext) => Promise<void>;
  readonly expireLead: (context: AppContext, cancelPending: CancelPending, leadId: number) => Promise<void>;
  readonly receiveItems: (context: AppContext, ids: readonly number[]) => Promise<void>;
  readonly reply: (context: AppContext, dialogueId: number) => Promise<void>;
  readonly sortByVendorTime: (reader: AppContext['reader'], ids: readonly number[]) => Promise<number[]>;
  readonly sendFirstMessages: (context: AppContext, policy: SendPolicy, productId: number) => Promise<void>;
  readonly sendFollowUp: (context: AppContext, leadId: number) => Promise<void>;
}
const OLD_FILES = ['outbox/deliver.ts', 'inbox/receive.ts', 'inbox/store/items.ts', 'conversations/reply.ts'].concat(
  ['evaluateDue', 'expireLead', 'sendFirstMessages', 'sendFollowUp'].map((name) => `outreach/${name}.ts`),
);

type NewEngine = Policies &
  Pick<typeof import('../../inbox/receive.ts'), 'receiveItems'> &
  Pick<typeof import('../../inbox/receiveReports.ts'), 'receiveReports'> &
  Pick<typeof import('../../outbox/sendDue.ts'), 'sendDue'> &
  Pick<typeof import('../../conversations/reply.ts'), 'replyToDueTurns'> &
  Pick<typeof import('../../outreach/evaluateDue.ts'), 'evaluateDue'> &
  Pick<typeof import('../../outreach/actOnDue.ts'), 'actOnDue'> &
  Pick<typeof import('../../outreach/sendFirstMessages.ts'), 'serveQueues'>;
const NEW_FILES = ['inbox/receive.ts', 'inbox/receiveReports.ts', 'outbox/sendDue.ts', 'conversations/reply.ts'].concat(
  ['evaluateDue', 'actOnDue', 'sendFirstMessages'].map((name) => `outreach/${name}.ts`),
);

/** Load the functions of several modules of an engine. */
async function loadAll<Functions extends Policies>({ load, context }: Engine, files: readonly string[]) {
  const modules = await Promise.all([...files, ...POLICY_FILES].map((file) => load<object>(file)));
  const functions: Functions = Object.assign({}, ...modules);
  return { ...functions, policy: functions.createSendPolicy(functions.cancelPending, context.cipher) };
}
const loadOld = (engine: Engine) => loadAll<OldEngine>(engine, OLD_FILES);
const loadNew = (engine: Engine) => loadAll<NewEngine>(engine, NEW_FILES);

/** A step of the old engine runs once per row, for some rows at a time. */
const AT_ONCE = 6;

async function forEach<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  const rest = all.values();
  const run = async () => {
    for (const one of rest) await work(one);
  };
  await Promise.all(range(AT_ONCE).map(run));
}

/** Return the ids of rows, in their order. */
async function idsOf({ client }: Engine, id: string, from: string): Promise<number[]> {
  const { rows } = await client.query<{ id: string }>(`select distinct ${id} as id from ${from} order by 1`);
  return rows.map((row) => Number(row.id));
}

/** Run a sweep until nothing is due, and what it starts beside it. */
async function sweep(run: (tools: SweepTools) => Promise<unknown>, runs = Number.POSITIVE_INFINITY): Promise<void> {
  const running = new Set<Promise<void>>();
  const tools: SweepTools = {
    isStarted: () => false,
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

const PARKED = "inbox where state = 'parked' and parked_until is not null";

/** Have each round of items arrive, and be processed, before the next one; then those that waited for their send. */
async function receiveRounds(
  engine: Engine,
  cases: readonly Case[],
  receive: (round: readonly Rows[]) => Promise<void>,
) {
  for (const index of range(Math.max(...cases.map(({ rounds }) => rounds.length)))) {
    const round = cases.map(({ rounds }) => rounds[index] ?? {});
    await insert(engine, round);
    await receive(round);
  }
  await engine.client.query(`update inbox set parked_until = '-infinity' where id in (select id from ${PARKED})`);
  await receive([]);
}

const receive: Steps = {
  async old(engine, cases) {
    const { receiveItems, sortByVendorTime } = await loadOld(engine);
    const { context } = engine;
    await receiveRounds(engine, cases, async (round) => {
      if (round.length === 0) return receiveItems(context, await idsOf(engine, 'id', PARKED));
      await forEach(round, async ({ inbox = [] }) => {
        const ids = inbox.map((row) => Number(row['id']));
        await receiveItems(context, await sortByVendorTime(context.reader, ids));
      });
    });
  },
  async new(engine, cases) {
    const { receiveItems, receiveReports } = await loadNew(engine);
    await receiveRounds(engine, cases, async () => {
      while ((await receiveReports(engine.context)) === true);
      while ((await receiveItems(engine.context, null)) > 0);
    });
  },
};

const send: Steps = {
  async old(engine) {
    const { deliver, policy } = await loadOld(engine);
    const due = "messages where status = 'scheduled' and scheduled_at <= domain_now()";
    await forEach(await idsOf(engine, 'dialogue_id', due), (id) => deliver(engine.context, policy, id));
  },
  async new(engine) {
    const { sendDue, receiveReports, policy } = await loadNew(engine);
    await sweep(async (tools) => {
      const next = await sendDue(engine.context, policy, tools);
      return (await receiveReports(engine.context)) === true || next;
    });
    await receiveReports(engine.context);
  },
};

const reply: Steps = {
  async old(engine) {
    const { reply: replyTo } = await loadOld(engine);
    const due = await idsOf(engine, 'id', 'dialogues where turn_due_at is not null');
    await forEach(due, (id) => replyTo(engine.context, id));
  },
  async new(engine) {
    const { replyToDueTurns } = await loadNew(engine);
    // Once: a turn that has changed meanwhile stays due.
    await sweep((tools) => replyToDueTurns(engine.context, tools), 1);
  },
};

/** Let a moment pass: a lead is evaluated again because of what was done after its evaluation. */
async function tick({ client }: Engine): Promise<void> {
  const { rows } = await client.query<{ at: string }>("select (domain_now() + interval '1 ms')::text as at");
  await setClocks(client, rows[0]?.at ?? '');
}

const plan: Steps = {
  async old(engine) {
    const { evaluateDue, expireLead, sendFollowUp, cancelPending } = await loadOld(engine);
    const { context } = engine;
    await evaluateDue(context);
    await tick(engine);
    const due = (action: string) =>
      idsOf(engine, 'lead_id', `outreach where next_action = '${action}' and reason->>'code' = 'now'`);
    await forEach(await due('expire'), (id) => expireLead(context, cancelPending, id));
    await forEach(await due('ping'), (id) => sendFollowUp(context, id));
    await evaluateDue(context);
  },
  async new(engine) {
    const { evaluateDue, actOnDue, cancelPending } = await loadNew(engine);
    const { context } = engine;
    const due: DueAction[] = [];
    const evaluate = () => evaluateDue(context, async (some) => void due.push(...some));
    while ((await evaluate()) === true);
    await tick(engine);
    await sweep((tools) => actOnDue(context, { due, cancelPending, tools }), 1);
    await evaluate();
  },
};

const first: Steps = {
  async old(engine, cases) {
    const { sendFirstMessages, policy } = await loadOld(engine);
    // An outcome makes its queue due again.
    for (let pass = 0; pass < 3; pass++) {
      const due = await idsOf(engine, 'product_id', 'outreach_products where next_at <= domain_now()');
      await forEach(due, (id) => sendFirstMessages(engine.context, policy, id));
    }
    // Twice: a message that was put off held up those behind it.
    for (let pass = 0; pass < 2; pass++) await send.old(engine, cases);
  },
  async new(engine, cases) {
    const { serveQueues, policy } = await loadNew(engine);
    await sweep((tools) => serveQueues(engine.context, policy, tools));
    await send.new(engine, cases);
  },
};

export const steps = { receive, send, reply, plan, first };
