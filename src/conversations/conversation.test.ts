import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createWorld, type World } from '../testing/world.ts';
import { messages, readThread } from './contract.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

describe('a lead writes', () => {
  it("answers a lead from the product's prompt, with delivered and read statuses", async () => {
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    const seen = await anna.sees();
    expect(seen).toHaveLength(2);
    expect(seen[1]).toMatch(/^us: .*six weeks/);
    const { rows } = await world.pool.query(
      "select status, author, prompt_name, model_name from messages where contact_id = $1 and side = 'bot'",
      [anna.contactId],
    );
    expect(rows).toEqual([{ status: 'read', author: 'bot', prompt_name: 'Vera', model_name: 'gpt-4o-mini' }]);
    const { rows: runs } = await world.pool.query(
      'select r.metadata from llm_runs r join messages m on m.id = r.message_id where m.contact_id = $1',
      [anna.contactId],
    );
    expect(runs).toMatchObject([{ metadata: { finish: 'stop', system_fingerprint: 'sandbox' } }]);
  });

  it('names the lead beside every message, in the list and in the thread', async () => {
    const vera = await world.lead('Vera Holm');
    await vera.writes('Good morning');
    await world.drain();
    const operator = await world.operator();
    const list = await operator.call(messages.list, { query: { contact_id: [vera.contactId] } });
    const thread = await operator.call(readThread, { params: { id: await vera.dialogueId() } });
    const named = z.object({ items: z.array(z.object({ lead_name: z.string() })) });
    for (const { body } of [list, thread]) {
      expect(named.parse(body).items.map((one) => one.lead_name)).toEqual(['Vera Holm', 'Vera Holm']);
    }
  });

  it('answers a burst of messages once', async () => {
    const boris = await world.lead('Boris');
    await boris.writes('Hello', 'What does a kitchen cost?', 'And when is the showroom open?');
    await world.drain();
    const seen = await boris.sees();
    expect(seen.filter((one) => one.startsWith('us:'))).toHaveLength(1);
  });
});
