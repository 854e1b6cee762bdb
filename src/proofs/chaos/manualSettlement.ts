/** An operator who settles what the vendors' rules leave open. */
import { markSent, retryMessage } from '../../conversations/contract.ts';
import type { Client } from '../../testing/client.ts';
import type { World } from '../../testing/world.ts';

/** Time that callbacks and retries have to settle open messages by themselves. */
const SELF_SETTLE_TIMEOUT_MS = 1500;

/** Messages settled manually: delivered ones, undelivered ones that were sent again, and refused ones sent again. */
export class ManualSettlement {
  reachedUnconfirmed = 0;
  sentAgain = 0;
  refused = 0;
  readonly #world: World;
  readonly #operator: Client;
  readonly #timeoutMs: number;

  constructor(world: World, operator: Client, timeoutMs: number) {
    this.#world = world;
    this.#operator = operator;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Wait until no work is left. An unconfirmed message blocks its dialogue, so it is settled manually: the operator asks
   * the lead whether it arrived. Throws if something stays open.
   */
  async waitUntilSettled(): Promise<void> {
    let last = '';
    for (const end = performance.now() + this.#timeoutMs; ; ) {
      await settleUnconfirmed(this.#world, this.#operator, this);
      const isIdle = await this.#world.drain(SELF_SETTLE_TIMEOUT_MS).then(
        () => true,
        (error: unknown) => {
          last = String(error);
          return false;
        },
      );
      if (isIdle && (await idsWithStatus(this.#world, 'unconfirmed')).length === 0) return;
      if (performance.now() > end) throw new Error(`Something stays open: ${last}`);
    }
  }

  /** Send permanently refused messages again. */
  async retryRefused(): Promise<void> {
    for (const id of await idsWithStatus(this.#world, 'error'))
      if ((await this.#operator.call(retryMessage, { params: { id } })).status === 200) this.refused++;
  }
}

async function idsWithStatus({ pool }: World, status: 'unconfirmed' | 'error'): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    'select id::int from messages where status = $1 order by scheduled_at, id',
    [status],
  );
  return rows.map(({ id }) => id);
}

async function settleUnconfirmed(world: World, operator: Client, settlement: ManualSettlement): Promise<void> {
  const { rows } = await world.pool.query<{ id: number; key: string }>(
    `select id::int, send_key as key from messages
      where status = 'unconfirmed' and unconfirmed_at < clock_timestamp() - make_interval(secs => $1) order by id`,
    [SELF_SETTLE_TIMEOUT_MS / 1000],
  );
  if (rows.length === 0) return;
  // By its key: two messages of a dialogue may have the same text, and one of them may have arrived.
  const arrived = new Set((await world.control.entriesOf('reached')).map(({ crmMessageId }) => crmMessageId));
  for (const { id, key } of rows) {
    const hasArrived = arrived.has(key);
    const { status } = await operator.call(hasArrived ? markSent : retryMessage, { params: { id } });
    // A callback settled it first.
    if (status !== 200) continue;
    if (hasArrived) settlement.reachedUnconfirmed++;
    else settlement.sentAgain++;
  }
}
