/** What storing an answer checks by itself. No worker and no sweep runs beside it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { type ClaimedTurn, claimTurns } from './store/turns.ts';
import { type Reply, storeReply } from './storeReply.ts';

const MODEL = 'chatgpt/gpt-4o-mini';
let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
});
afterAll(() => world.close());

function context() {
  if (!world.app) throw new Error('There is no server');
  return world.app.context;
}

/** Claim the lead's turn, which falls due now. */
async function claimTurn(lead: TestLead): Promise<ClaimedTurn> {
  await world.pool.query(
    'update dialogues set turn = 1, turn_due_at = domain_now(), claimed_by = null, claimed_until = null where contact_id = $1',
    [lead.contactId],
  );
  const room = { defaultModel: MODEL, perModel: 10, busy: new Map() };
  const [turn] = await claimTurns(context().reader, { limit: 10, historyLimit: 10, claimant: context(), room });
  if (!turn) throw new Error('No turn is due');
  return turn;
}

/** An answer that a model has written, and its run. */
function answerTo(turn: ClaimedTurn, text: string): Reply {
  const model = { vendor: 'chatgpt', name: 'gpt-4o-mini' } as const;
  return {
    turn,
    trace: null,
    hasHint: false,
    result: {
      kind: 'answer',
      text,
      model,
      prompt: { id: 1, name: 'Vera', version: 1 },
      renderedPrompt: 'You are Vera.',
    },
    run: {
      id: turn.run_id,
      product_id: turn.product.id,
      dialogue_id: turn.id,
      message_id: null,
      purpose: 'chatbot',
      name: 'Vera',
      model_vendor: model.vendor,
      model_name: model.name,
      execution_ms: 1000,
      token_input_usage: 100,
      token_output_usage: 10,
      metadata: {},
      error: null,
    },
  };
}

async function readSpending(): Promise<{ runs: number; tokens: number }> {
  const { rows } = await world.pool.query<{ runs: number; tokens: number }>(
    'select coalesce(sum(runs), 0)::int as runs, coalesce(sum(input_tokens), 0)::int as tokens from llm_spending',
  );
  return rows[0] ?? { runs: 0, tokens: 0 };
}

it('queues one of two answers to a turn that are stored together, and counts both runs', async () => {
  const anna = await world.lead('Anna');
  const before = await readSpending();
  const turn = await claimTurn(anna);
  const again = await claimTurn(anna);
  expect(again).toMatchObject({ id: turn.id, turn: turn.turn });
  await Promise.all([
    storeReply(context(), answerTo(turn, 'Six weeks.')),
    storeReply(context(), answerTo(again, 'About six weeks.')),
  ]);
  expect((await messagesOf(world, anna, 'bot')).map(({ message }) => message)).toEqual(['Six weeks.']);
  expect(await readSpending()).toEqual({ runs: before.runs + 2, tokens: before.tokens + 200 });
});

it('stores and counts an answer once whose commit was not acknowledged, so that it is stored again', async () => {
  const boris = await world.lead('Boris');
  const before = await readSpending();
  const reply = answerTo(await claimTurn(boris), 'Six weeks.');
  await storeReply(context(), reply);
  await storeReply(context(), reply);
  expect(await messagesOf(world, boris, 'bot')).toHaveLength(1);
  expect(await readSpending()).toEqual({ runs: before.runs + 1, tokens: before.tokens + 100 });
});
