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
  // The same text may have been sent before, so the phone must show it once more than is known.
  const { rows } = await world.pool.query<{ id: number; message: string; address: string; known: number }>(
    `select m.id::int, m.message, c.address,
            (select count(*)::int from messages o where o.contact_id = m.contact_id and o.message = m.message
                and o.side <> 'user' and o.status in ('sent', 'delivered', 'read')) as known
       from messages m join contacts c on c.id = m.contact_id
      where m.status = 'unconfirmed' and m.unconfirmed_at < clock_timestamp() - make_interval(secs => $1)
      order by m.id`,
    [SELF_SETTLE_TIMEOUT_MS / 1000],
  );
  if (rows.length === 0) return;
  const arrived = new Map<string, number>();
  for (const { to, text } of await world.control.entriesOf('reached')) {
    const key = `${to} ${text ?? ''}`;
    arrived.set(key, (arrived.get(key) ?? 0) + 1);
  }
  const settled = new Map<string, number>();
  for (const { id, message, address, known } of rows) {
    const key = `${address} ${message}`;
    const before = settled.get(key) ?? 0;
    const hasArrived = (arrived.get(key) ?? 0) > known + before;
    if (hasArrived) settled.set(key, before + 1);
    const { status } = await operator.call(hasArrived ? markSent : retryMessage, { params: { id } });
    // A callback settled it first.
    if (status !== 200) continue;
    if (hasArrived) settlement.reachedUnconfirmed++;
    else settlement.sentAgain++;
  }
}
