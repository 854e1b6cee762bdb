/**
 * Kills the server at every failpoint of a push; the next instance finishes the work, and each browser shows one
 * notification for each wait, until somebody has seen to it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../../testing/client.ts';
import { type PushBrowser, subscribePushBrowser } from '../../testing/pushBrowser.ts';
import { type ServerProcess, startServer } from '../../testing/serverProcess.ts';
import { createWorld, type World } from '../../testing/world.ts';

const POINTS = ['push.afterPlan', 'push.afterClaim', 'push.beforeRequest', 'push.afterAnswer', 'push.afterSettle'];
let world: World;
let server: ServerProcess;
let anna: Client;
let phones: readonly PushBrowser[];

beforeAll(async () => {
  world = await createWorld({ serve: false });
  server = startServer(world, { RAPPORT_LOG_LEVEL: 'error' });
  await server.waitUntilReady();
  anna = await world.operator('anna', [world.companyId]);
  const boris = await world.operator('boris', [world.companyId]);
  phones = [await subscribePushBrowser(world, anna), await subscribePushBrowser(world, boris)];
});
afterAll(async () => {
  await server.kill();
  await world.close();
});

it('covers every failpoint', () => {
  const text = readFileSync(join(import.meta.dirname, 'sendPushes.ts'), 'utf8');
  expect(new Set([...text.matchAll(/failpoint\('([\w.]+)'\)/g)].map(([, name]) => name))).toEqual(new Set(POINTS));
});

/** Change whether a dialogue needs a person, as the app does: a trigger follows it. */
const setWaiting = (dialogueId: number, since: string | null): Promise<unknown> =>
  world.pool.query("update dialogues set owner = 'human', waiting_since = $2 where id = $1", [dialogueId, since]);

const counts = async (): Promise<{ open: number; displayed: number }[]> =>
  Promise.all(
    phones.map(async (phone) => {
      const { open, displayed } = await phone.notifications();
      return { open: open.length, displayed: displayed.length };
    }),
  );

it('shows one notification for each wait and withdraws it when killed anywhere', { timeout: 300_000 }, async () => {
  let waits = 0;
  for (const point of POINTS) {
    const lead = await world.lead(point);
    const dialogueId = await lead.dialogueId();
    for (const since of [new Date().toISOString(), null]) {
      await server.kill();
      await setWaiting(dialogueId, since);
      server = startServer(world, { RAPPORT_LOG_LEVEL: 'error', RAPPORT_FAILPOINT: point });
      expect(await server.waitForExit(), `${point} ${server.output()}`).toBe('SIGKILL');
      server = startServer(world, { RAPPORT_LOG_LEVEL: 'error' });
      await server.waitUntilReady();
      if (since !== null) waits++;
      const expected = { open: since === null ? 0 : 1, displayed: waits };
      await world.waitUntil(
        async () =>
          (await counts()).every(({ open, displayed }) => open === expected.open && displayed === expected.displayed),
        `${point}: ${JSON.stringify(expected)}`,
      );
    }
  }
  expect(await counts()).toEqual(phones.map(() => ({ open: 0, displayed: POINTS.length })));
});
