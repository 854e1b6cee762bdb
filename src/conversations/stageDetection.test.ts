import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Prompt, prompts } from '../prompts/contract.ts';
import { createWorld, type World } from '../testing/world.ts';
import { turnOnStageDetection } from './stageDetectionContract.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const typesOfPrompts = async () =>
  (
    await world.pool.query<{ type: string }>('select type from prompts where product_id = $1 order by id', [
      world.productId,
    ])
  ).rows.map(({ type }) => type);

it('is turned on once with ready-made prompts, which detect the stage of the next dialogue', async () => {
  const member = await world.operator('mila', [world.companyId]);
  const params = { id: world.productId };
  const replies = await Promise.all([1, 2, 3].map(() => member.call(turnOnStageDetection, { params })));
  expect(replies.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409, 409]);
  expect(await typesOfPrompts()).toEqual(['prompt', 'classification', 'qualification', 'refusal_qualification']);
  const { rows } = await world.pool.query(
    "select noun, operator from audit where action = 'created' and product_id = $1 order by id",
    [world.productId],
  );
  expect(rows.map(({ noun, operator }) => `${noun} ${operator}`)).toEqual([
    ...Array.from({ length: 3 }, () => 'prompt mila'),
    'classification_config mila',
  ]);

  const anna = await world.lead('Anna');
  await anna.writes("I have changed my mind, I don't want a kitchen.");
  await world.drain();
  await world.pool.query(
    "update classification_configs set created_at = created_at - interval '1 day' where product_id = $1",
    [world.productId],
  );
  await world.pool.query(
    "update dialogues set last_user_msg_at = last_user_msg_at - interval '10 minutes' where contact_id = $1",
    [anna.contactId],
  );
  await world.drain();
  const { rows: leads } = await world.pool.query('select stage from leads where id = $1', [anna.leadId]);
  expect(leads).toEqual([{ stage: 'refused' }]);
});

it('uses the prompts that the product has', async () => {
  const admin = await world.operator('root');
  await world.pool.query('delete from classification_configs where product_id = $1', [world.productId]);
  const before = await typesOfPrompts();
  const own = { product_id: world.productId, name: 'Ours', type: 'classification' as const, text: 'Name the stage.' };
  const prompt = (await admin.call(prompts.create, { body: own })).body as Prompt;
  const turned = await admin.call(turnOnStageDetection, { params: { id: world.productId } });
  expect(turned.body).toMatchObject({ config: { prompt_id: prompt.id, interval_minutes: 10 } });
  expect(await typesOfPrompts()).toEqual([...before, 'classification']);
});
