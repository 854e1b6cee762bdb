/**
 * Nothing of a run leaves the studio, whatever its kind and its answers: every table is compared before and after it, and
 * every call that the messengers and the CRM receive. The leads are real, and each answer would move one of them.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectAmocrm, connectProduct } from '../testing/crm.ts';
import { tableFingerprints } from '../testing/everyResource.ts';
import { messagesOf } from '../testing/messageRows.ts';
import { CONTENTING_PROMPT, insertPersonas, PERSONAS } from '../testing/simulatedLeads.ts';
import { type StudioRuns, studioRuns } from '../testing/studioRuns.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import { studioCases } from './caseContract.ts';
import type { StudioRun } from './runContract.ts';

let world: World;
let studio: StudioRuns;
let stagesPromptId: number;
beforeAll(async () => {
  world = await createWorld();
  const anna = await world.operator('anna');
  studio = await studioRuns(world, anna);
  await connectProduct(world, anna, await connectAmocrm(world, anna));
  await world.pool.query("update products set hand_over = true, hand_over_text = 'A colleague will write.'");
  await world.pool.query('update prompts set text = $1, live_text = $1', [CONTENTING_PROMPT]);
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into prompts (product_id, name, type, text, live_text, live_version, live_since)
     values ($1, 'Stages', 'classification', 'Name the stage.', 'Name the stage.', 1, now()) returning id`,
    [world.productId],
  );
  stagesPromptId = Number(rows[0]?.id);
  const lead = await leadOfCard();
  for (const text of ['How much does a kitchen cost?', 'I want to talk to a human']) {
    await lead.writes(text);
    await world.drain();
  }
  const answer = (await messagesOf(world, lead, 'bot')).at(-1);
  const created = await anna.call(studioCases.create, {
    body: {
      product_id: world.productId,
      from_message_id: answer?.id ?? 0,
      requirements: [{ kind: 'hands_over', reason: null }],
    },
  });
  expect(created.status).toBe(201);
  await studio.createCase('Fine, I buy it', [{ kind: 'stage', stage: 'success' }], { prompt_type: 'classification' });
  await world.pool.query("update leads set stage = 'refused' where id = $1", [lead.leadId]);
  await world.pool.query(
    `insert into lead_events (lead_id, product_id, event_type, event_data) values ($1, $2, 'stage_changed', $3)`,
    [lead.leadId, world.productId, { from: 'ongoing', to: 'refused', by: 'anna' }],
  );
  await insertPersonas(
    world.pool,
    world.productId,
    PERSONAS.filter(({ ending }) => ending === 'buys' || ending === 'asks_for_human').slice(0, 2),
  );
  await world.drain();
});
afterAll(() => world.close());

/** A lead whose card is in the CRM. */
async function leadOfCard(): Promise<TestLead> {
  const lead = await world.lead('Clara');
  const { id } = await world.control.amocrm.makeCard({
    name: 'Kitchen for Clara',
    city: 'Riga',
    contact: { name: 'Clara', phone: `+${lead.address}` },
  });
  await world.drain();
  const { rows } = await world.pool.query('select lead_id from crm_cards where card_id = $1', [id]);
  expect(rows).toEqual([{ lead_id: String(lead.leadId) }]);
  return lead;
}

/** Everything outside of the studio: tables, runs of models for leads, the audit log, and what the emulators were asked for. */
async function outside() {
  const { rows } = await world.pool.query<{ runs: string; audit: string }>(
    `select (select md5(string_agg(t::text, '|' order by id)) from llm_runs t
              where purpose <> 'studio' or coalesce(dialogue_id, lead_id, message_id) is not null) as runs,
            (select md5(string_agg(t::text, '|' order by id)) from audit t where noun <> 'studio_run') as audit`,
  );
  const entries = await world.control.entries();
  return {
    ...rows[0],
    tables: Object.fromEntries(
      Object.entries(await tableFingerprints(world.pool)).filter(
        ([name]) => !name.startsWith('studio_') && !['llm_runs', 'llm_spending', 'audit'].includes(name),
      ),
    ),
    calls: entries.filter(({ kind }) => kind !== 'completion').map(({ seq, kind }) => `${seq} ${kind}`),
  };
}

it.each<[string, () => Parameters<StudioRuns['start']>[0], (run: StudioRun) => unknown]>([
  [
    'a gate of answers that hand over',
    () => ({ text: `${CONTENTING_PROMPT}\nFault: hands_over_always` }),
    ({ verdict }) => verdict?.kind === 'gate' && verdict.cases[0]?.candidate.count === 3,
  ],
  [
    'a gate of stages',
    () => ({ prompt_id: stagesPromptId }),
    ({ verdict }) => verdict?.kind === 'gate' && verdict.state === 'green',
  ],
  [
    'a replay with a judge',
    () => ({ kind: 'replay', with_judge: true, text: CONTENTING_PROMPT.replace('4200', '9900') }),
    ({ verdict }) => verdict?.kind === 'replay' && verdict.changed.count > 0 && verdict.judged !== null,
  ],
  [
    'a classification',
    () => ({ kind: 'classification', prompt_id: stagesPromptId, text: 'Name the stage.\nFault: wrong_stage' }),
    ({ verdict }) => verdict?.kind === 'classification' && verdict.candidate.total === 1,
  ],
  [
    'a simulation',
    () => ({ kind: 'simulation', repeats: 1 }),
    ({ verdict }) => verdict?.kind === 'simulation' && verdict.personas.length === 2,
  ],
])('nothing of %s leaves the studio', async (_name, asked, found) => {
  const before = await outside();
  const run = await studio.gate(asked());
  expect(found(run), JSON.stringify(run.verdict)).toBe(true);
  await world.drain();
  expect(await outside()).toEqual(before);
});
