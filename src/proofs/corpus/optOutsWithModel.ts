/**
 * What becomes of the sentences that the phrases' author had not seen, once the model has answered: each is written by a
 * lead of its own to a running server, whose emulated model is told to call `stop_writing`, or not to.
 */
import optOuts from '../../leads/optOut.corpus.json' with { type: 'json' };
import { migrate } from '../../platform/migrate.ts';
import { createWorld, PROMPT, type World } from '../../testing/world.ts';
import { withCluster } from '../harness/world.ts';
import type { Judged } from './corpus.ts';

/** Models by what they do about each message, and the line of a prompt that tells the emulated one so. */
const MODELS = { 'calls the tool': 'stops_always', 'never calls it': 'ignores_question' } as const;
type ModelName = keyof typeof MODELS;

/** Leads who write at the same time. */
const AT_ONCE = 40;

export interface ModelRun {
  readonly name: string;
  readonly judged: readonly Judged[];
}

/** Write each unseen sentence to both models. Returns the verdicts with a model that is right, and with one that always calls the tool. */
export async function judgeWithModels(): Promise<ModelRun[]> {
  const cases = optOuts.cases.filter(({ kind }) => kind === 'unseen');
  const stopped = await withCluster({}, async ({ url }) => {
    await migrate(url);
    const world = await createWorld({ database: { url, drop: async () => undefined } });
    try {
      return {
        'calls the tool': await findStopped(world, 'calls the tool', cases),
        'never calls it': await findStopped(world, 'never calls it', cases),
      };
    } finally {
      await world.close();
    }
  });
  const judge = (name: string, modelOf: (isPlain: boolean) => ModelName): ModelRun => ({
    name,
    judged: cases.map(({ kind, language, input, verdict }, index) => {
      const isPlain = verdict === 'certain';
      const isStopped = stopped[modelOf(isPlain)][index] === true;
      return { kind, language, input, expected: isPlain ? 'stopped' : 'not', actual: isStopped ? 'stopped' : 'not' };
    }),
  });
  return [
    judge('opt-outs with a model that is right', (isPlain) => (isPlain ? 'calls the tool' : 'never calls it')),
    judge('opt-outs with a model that always calls the tool', () => 'calls the tool'),
  ];
}

/** Have a lead write each sentence in a product whose model is told so. Returns which persons get nothing more, by case. */
async function findStopped(world: World, model: ModelName, cases: readonly { input: string }[]): Promise<boolean[]> {
  const { rows } = await world.pool.query<{ id: string }>(
    `with product as (insert into products (company_id, name, hand_over) values ($1, $2, false) returning id),
     link as (insert into product_channels (product_id, company_id, channel_id) select id, $1, $3 from product),
     prompt as (insert into prompts (product_id, name, type, text, live_version, live_text, live_since) select id, 'Vera', 'prompt', $4, 1, $4, now() from product)
     select id from product`,
    [world.companyId, model, world.telegram.id, `${PROMPT}\nFault: ${MODELS[model]}`],
  );
  const productId = Number(rows[0]?.id);
  const found: boolean[] = [];
  for (let from = 0; from < cases.length; from += AT_ONCE) {
    const sentences = cases.slice(from, from + AT_ONCE);
    const leads = [];
    for (const [index] of sentences.entries()) leads.push(await world.lead(`Lead ${from + index}`, { productId }));
    await Promise.all(leads.map((lead, index) => lead.writes(sentences[index]?.input ?? '')));
    await world.drain();
    const { rows: certain } = await world.pool.query<{ lead_id: string }>(
      "select lead_id from opt_outs where state = 'certain' and lead_id = any($1)",
      [leads.map(({ leadId }) => leadId)],
    );
    const ids = new Set(certain.map(({ lead_id: id }) => Number(id)));
    found.push(...leads.map(({ leadId }) => ids.has(leadId)));
  }
  return found;
}
