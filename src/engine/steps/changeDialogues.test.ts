/** What the rules say of a dialogue and what PostgreSQL stores are the same, whatever happens. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppContext } from '../../platform/appContext.ts';
import { DIALOGUE_EVENTS } from '../../testing/conversationChart.ts';
import { createWorld, type World } from '../../testing/world.ts';
import { loadDialogues } from '../postgres/dialogues.ts';
import { type DialogueEvent, decideDialogue } from '../rules/dialogue.ts';
import { changeDialogues } from './changeDialogues.ts';

let world: World;
let context: AppContext;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  if (!world.app) throw new Error('There is no server');
  context = world.app.context;
});
afterAll(() => world.close());

it('stores what the rules say, in any sequence of events', async () => {
  const event = fc.constantFrom<DialogueEvent>(
    ...Object.values(DIALOGUE_EVENTS),
    { kind: 'snoozed', until: null, untilReply: true },
    { kind: 'restated', at: 1_000_000, answerSeconds: null, noAnswer: { code: 'budget', detail: 'olga' } },
  );
  const lead = await world.lead('Anna');
  const { rows } = await world.pool.query<{ id: number }>('select id::int from dialogues where contact_id = $1', [
    lead.contactId,
  ]);
  const where = { dialogueIds: rows.map(({ id }) => id) };
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 12 }), async (events) => {
      for (const one of events)
        await context.transact(async (tx) => {
          const { now, dialogues } = await loadDialogues(tx, where);
          const [before] = dialogues;
          if (!before) throw new Error('It was not loaded');
          const [changed] = await changeDialogues(tx, where, one);
          const stored = (await loadDialogues(tx, where)).dialogues[0]?.state;
          expect(stored).toEqual(changed?.after ?? before.state);
          const isChanged = Object.keys(decideDialogue(before.state, one, now)).length > 0;
          expect(changed !== undefined).toBe(isChanged);
        });
    }),
    { numRuns: 40 },
  );
});
