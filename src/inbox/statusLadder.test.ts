/**
 * What a delivery report does to a message in each state: alone (`receiveItems`), and together with others
 * (`receiveReports`). No worker runs beside them.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppContext } from '../platform/appContext.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { receiveItems } from './receive.ts';
import { receiveReports } from './receiveReports.ts';

let world: World;
let context: AppContext;
let anna: TestLead;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  if (!world.app) throw new Error('There is no server');
  context = world.app.context;
  anna = await world.lead('Anna');
});
afterAll(() => world.close());

const STATUSES = ['sent', 'delivered', 'read', 'error'] as const;
/** States of a message with a vendor's id. Of `queued again`, nobody knows whether the first attempt has arrived. */
const STATES = {
  sending: { status: 'sending' },
  unconfirmed: { status: 'unconfirmed', isUnconfirmed: true },
  'queued again': { status: 'scheduled', isUnconfirmed: true },
  'sent again': { status: 'sending', isUnconfirmed: true },
  scheduled: { status: 'scheduled' },
  cancelled: { status: 'cancelled' },
  sent: { status: 'sent' },
  delivered: { status: 'delivered' },
  read: { status: 'read' },
  error: { status: 'error' },
} as const satisfies Record<string, { status: string; isUnconfirmed?: boolean }>;
type State = keyof typeof STATES;

/** Minutes from now; null: the vendor names no time. */
type Minutes = number | null;
const TIMES: readonly Minutes[] = [null, -10];
const at = (minutes: Minutes): string | null =>
  minutes === null ? null : new Date(Date.now() + minutes * 60_000).toISOString();

/** Store a message in this state, which was sent ten minutes ago if it was. Returns the vendor's id. */
async function message(state: State): Promise<string> {
  const { status, isUnconfirmed } = { isUnconfirmed: false, ...STATES[state] };
  const isSent = ['sent', 'delivered', 'read', 'error'].includes(status);
  const extId = randomUUID();
  await world.pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, ext_id,
                           scheduled_at, thread_at, unconfirmed_at, retry_at, claimed_by, claimed_until, sent_at, sent_confirmation_at, read_at)
     select product_id, contact_id, id, channel_id, 'Hello', 'bot', 'operator', 'olga', $2, $3, $4, domain_now(),
            case when $5 then clock_timestamp() end, case when $5 then clock_timestamp() + interval '1 hour' end,
            case when $2 = 'sending' then $7::uuid end, case when $2 = 'sending' then clock_timestamp() + interval '1 hour' end,
            case when $6 then $4::timestamptz end,
            case when $2 in ('delivered', 'read') then $4::timestamptz end, case when $2 = 'read' then $4::timestamptz end
       from dialogues where contact_id = $1`,
    [anna.contactId, status, extId, at(-10), isUnconfirmed, isSent, context.instanceId],
  );
  return extId;
}

async function report(extId: string, status: string, minutes: Minutes): Promise<number> {
  const { rows } = await world.pool.query<{ id: number }>(
    `insert into inbox (account_id, channel_id, kind, ext_id, status, item)
     select account_id, id, 'status', $2, $3, jsonb_build_object('kind', 'status', 'occurredAt', $4::text, 'errorCode', null, 'errorReason', null)
       from channels where id = $1 returning id::int`,
    [world.whatsapp.id, extId, status, at(minutes)],
  );
  return rows[0]?.id ?? 0;
}

interface Outcome {
  readonly status: string;
  readonly waits: boolean;
  /** Minutes ago, rounded. */
  readonly times: readonly (number | null)[];
  readonly climbs: boolean;
  readonly isAhead: boolean;
}

/** Read what became of messages, and delete them: a dialogue has one that is being sent at a time. */
async function outcomesOf(extIds: readonly string[]): Promise<Outcome[]> {
  const { rows } = await world.pool.query<Outcome & { ext_id: string }>(
    `select ext_id, status, retry_at is not null or unconfirmed_at is not null as waits,
            array(select round(extract(epoch from domain_now() - t) / 60)::int from unnest(array[sent_at, sent_confirmation_at, read_at]) t) as times,
            coalesce(sent_at <= sent_confirmation_at, true) and coalesce(sent_confirmation_at <= read_at, true)
              and coalesce(sent_at <= read_at, true) as climbs,
            coalesce(greatest(sent_at, sent_confirmation_at, read_at) > domain_now(), false) as "isAhead"
       from messages where ext_id = any($1)`,
    [extIds],
  );
  await world.pool.query('delete from messages where ext_id = any($1)', [extIds]);
  return extIds.flatMap((extId) => {
    const { ext_id: _extId, ...outcome } = rows.find((one) => one.ext_id === extId) ?? { ext_id: '' };
    return 'status' in outcome ? [outcome] : [];
  });
}

it('does the same alone and with others, in every state', async () => {
  const rises: string[] = [];
  for (const state of Object.keys(STATES) as State[]) {
    for (const status of STATUSES) {
      for (const minutes of TIMES) {
        const alone = await message(state);
        await receiveItems(context, [await report(alone, status, minutes)]);
        const [one] = await outcomesOf([alone]);
        const together = await message(state);
        await report(together, status, minutes);
        await receiveReports(context);
        const [other] = await outcomesOf([together]);
        expect([state, status, minutes, other]).toEqual([state, status, minutes, one]);
        expect([state, status, minutes, one?.climbs]).toEqual([state, status, minutes, true]);
        if (minutes === null && one?.status !== STATES[state].status) rises.push(`${state} → ${one?.status}`);
      }
    }
  }
  expect(rises).toEqual([
    ...['sending', 'unconfirmed', 'queued again', 'sent again'].flatMap((state) =>
      STATUSES.map((status) => `${state} → ${status}`),
    ),
    ...['delivered', 'read', 'error'].map((status) => `sent → ${status}`),
    'delivered → read',
    'error → delivered',
    'error → read',
  ]);
});

it('takes a message out of the queue that is reported meanwhile', async () => {
  const extId = await message('queued again');
  await report(extId, 'delivered', -1);
  await receiveReports(context);
  expect(await outcomesOf([extId])).toMatchObject([{ status: 'delivered', waits: false }]);
});
