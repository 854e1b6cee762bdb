/** What a claim of first messages checks by itself. No worker and no sweep runs beside it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutreachWorld, type OutreachWorld } from '../testing/outreachWorld.ts';
import { claimBatch } from './claimFirstMessages.ts';
import { evaluateDue } from './evaluateDue.ts';
import { readFirstTextSources } from './messageText.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());

it('claims nothing for a channel whose last ten messages were not acknowledged', async () => {
  if (!world.app) throw new Error('There is no server');
  const { context } = world.app;
  await world.setFirstMessages({ initial_message_send_at: '00:00' });
  await world.createLead('Anna');
  const silent = await world.lead('Silent');
  await world.pool.query("update installation set clock_offset = clock_offset + interval '1 day'");
  await evaluateDue(context, async () => undefined);
  const sources = await readFirstTextSources(context.reader, world.productId);
  const tools = { isStarted: () => false, start: () => false, queues: () => new Map(), wake: () => undefined };
  const claim = () =>
    claimBatch(context, { productId: world.productId, sources, documents: new Map(), tools, limit: 1 });
  await world.pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, ext_id, thread_at, sent_at)
     select product_id, contact_id, id, channel_id, 'Hello', 'bot', 'operator', 'sent', 'silent ' || n, at, at
       from dialogues cross join generate_series(1, 10) n
      cross join (select domain_now() - interval '1 minute' as at) as sent where id = $1`,
    [await silent.dialogueId()],
  );
  expect((await claim()).messageIds).toEqual([]);
  // It has stopped now. Once an operator resumes it, the messages of before no longer count.
  await world.pool.query(
    'update channels set first_messages_stopped_at = null, first_messages_resumed_at = domain_now()',
  );
  await world.pool.query(
    "update outreach set next_at = domain_now() where queue_type is null and reason->>'code' <> 'talked'",
  );
  await evaluateDue(context, async () => undefined);
  expect((await claim()).messageIds).toHaveLength(1);
});
