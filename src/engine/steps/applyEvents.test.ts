/** What the rules say and what PostgreSQL stores are the same, whatever happens. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppContext } from '../../platform/appContext.ts';
import { createWorld, type TestLead, type World } from '../../testing/world.ts';
import { loadConversations } from '../postgres/load.ts';
import { apply } from '../rules/conversation.ts';
import { possibleEvents } from '../rules/possible.ts';
import { applyEvents } from './applyEvents.ts';

let world: World;
let context: AppContext;
let lead: TestLead;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  if (!world.app) throw new Error('There is no server');
  context = world.app.context;
  lead = await world.lead('Anna');
});
afterAll(() => world.close());

/** Have two messages of an operator and no others, the first of which is being sent. Returns their ids. */
async function storeMessages(origin: string | null): Promise<number[]> {
  await world.pool.query('delete from messages where contact_id = $1', [lead.contactId]);
  await world.pool.query(
    'update dialogues set failed_since = null, unconfirmed_since = null, last_bot_msg_id = null where contact_id = $1',
    [lead.contactId],
  );
  const { rows } = await world.pool.query<{ id: number }>(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, operator, status, scheduled_at,
                           claimed_by, claimed_until, attempts, origin)
     select product_id, contact_id, id, channel_id, 'Hello', 'bot', 'operator', 'olga', s.status, domain_now(),
            case when s.status = 'sending' then $2::uuid end, case when s.status = 'sending' then clock_timestamp() + interval '1 hour' end, 1, $3
       from dialogues, (values ('sending'), ('scheduled')) as s (status) where contact_id = $1 returning id::int`,
    [lead.contactId, context.instanceId, origin],
  );
  return rows.map(({ id }) => id);
}

it('stores what the rules say, in any sequence of events', async () => {
  const choices = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(choices, fc.constantFrom(null, null, 'first', 'ping'), async (list, origin) => {
      const ids = await storeMessages(origin);
      for (const choice of list)
        await context.transact(async (tx) => {
          const asked = ids.map((id) => ({ id }));
          const loaded = await loadConversations(tx, asked);
          const message = ids[choice % ids.length] ?? 0;
          const before = loaded.byMessage.get(message)?.state;
          const state = before?.messages.get(message);
          if (!before || !state) throw new Error('It was not loaded');
          const options = possibleEvents(state);
          const [, sample] = options[Math.floor(choice / 2) % Math.max(1, options.length)] ?? [];
          if (!sample) return;
          const ownId = 'extId' in sample ? { extId: `id of ${message}` } : {};
          const ownKey = sample.kind === 'retried' && sample.key !== null ? { key: crypto.randomUUID() } : {};
          const event = { message, event: { ...sample, ...ownId, ...ownKey } as typeof sample };
          await applyEvents(tx, { loaded, events: [event] });
          const { state: wanted } = apply(before, [event], loaded.now);
          const stored = (await loadConversations(tx, asked)).byMessage.get(message)?.state;
          expect(stored).toEqual(wanted);
        });
    }),
    { numRuns: 40 },
  );
});

it('locks no conversation that another transaction has locked, if it is asked not to wait', async () => {
  const [id = 0] = await storeMessages(null);
  await context.transact(async (first) => {
    await loadConversations(first, [{ id }]);
    await context.transact(async (second) => {
      expect((await loadConversations(second, [{ id }], { skipsLocked: true })).byMessage.size).toBe(0);
    });
  });
});
