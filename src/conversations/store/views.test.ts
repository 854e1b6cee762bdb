import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOutreachWorld, type OutreachWorld } from '../../testing/outreachWorld.ts';
import { readDialogueView } from './views.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld();
});
afterAll(() => world.close());

it("uses the lead's time zone, else the schedule's, else UTC", async () => {
  const anna = await world.lead('Anna', { dialogue: true });
  const id = await anna.dialogueId();
  const zone = async () => (await readDialogueView(world.pool, id))?.lead_timezone;
  expect(await zone()).toBe('UTC');
  await world.setWorkingHours('09:00', '18:00', 'Asia/Tokyo');
  expect(await zone()).toBe('Asia/Tokyo');
  await world.pool.query("update leads set timezone = 'Europe/Riga' where id = $1", [anna.leadId]);
  expect(await zone()).toBe('Europe/Riga');
});
