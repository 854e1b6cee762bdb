import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIRMABLE } from '../platform/confirmable.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type Prompt, preparedMessages, prompts, publishPrompt } from './contract.ts';

let world: World;
let vera: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  vera = await world.operator('vera');
});
beforeEach(() => setGate('off'));
afterAll(() => world.close());

const WRONG =
  'Hello {{ имя }}, {{client name}}: {{ lead.name | upcse }} {% if lead.name %}{% render "Nobody" %} {{ now';
const ERRORS = [
  'Unknown variable имя',
  'Unknown variable client name',
  'Unknown filter upcse',
  '{% if %} has no end tag',
  'No subprompt is named Nobody',
  '{{ now is not closed',
];

const changeProduct = (body: object) => vera.call(products.change, { params: { id: world.productId }, body });

async function setGate(gate: 'off' | 'warn'): Promise<void> {
  expect((await changeProduct({ config: { gate } })).status).toBe(200);
}

async function save(text: string, more: object = {}) {
  const body = { product_id: world.productId, name: 'Consultant', type: 'qualification' as const, text, ...more };
  return vera.call(prompts.create, { body });
}

const refusal = (errors: readonly string[], ...loc: string[]) => ({
  status: 422,
  body: { detail: errors.map((msg) => ({ loc: ['body', ...loc], msg, type: CONFIRMABLE })) },
});

describe('a text with errors', () => {
  it('is not saved where it would be live at once, until each error is confirmed', async () => {
    expect(await save(WRONG)).toMatchObject(refusal(ERRORS, 'text'));
    const missing = ERRORS.slice(1);
    expect(await save(WRONG, { confirm_errors: ERRORS.slice(0, 1) })).toMatchObject(refusal(missing, 'text'));
    const saved = await save(WRONG, { confirm_errors: ERRORS });
    expect(saved).toMatchObject({ status: 201, body: { text: WRONG, live_version: 1 } });
    expect(saved.body).not.toHaveProperty('confirm_errors');
  });

  it('stays live, and may be renamed, but not be changed into another one with errors', async () => {
    const { id } = (await save(WRONG, { confirm_errors: ERRORS })).body as Prompt;
    const change = (body: object) => vera.call(prompts.change, { params: { id }, body });
    expect(await change({ name: 'Another' })).toMatchObject({ status: 200, body: { live_version: 1 } });
    expect(await change({ text: 'Hello {{ lead.nmae }}' })).toMatchObject(
      refusal(['Unknown variable lead.nmae'], 'text'),
    );
    expect(await change({ text: 'Hello {{ lead.name }}' })).toMatchObject({ status: 200, body: { live_version: 2 } });
  });

  it('is saved as a draft, and not published', async () => {
    await setGate('warn');
    const { id } = (await save(WRONG)).body as Prompt;
    const publish = (more: object = {}) => vera.call(publishPrompt, { params: { id }, body: { version: 1, ...more } });
    expect(await publish()).toMatchObject(refusal(ERRORS, 'version'));
    expect(await publish({ override_reason: 'It is urgent' })).toMatchObject(refusal(ERRORS, 'version'));
    expect((await vera.call(prompts.get, { params: { id } })).body).toMatchObject({ live_version: null });
    expect(await publish({ confirm_errors: ERRORS })).toMatchObject({ status: 200, body: { live_version: 1 } });
  });

  it('may include a subprompt only when that is live', async () => {
    const including = "{% render 'Greeting' %}";
    const missing = refusal(['No subprompt is named Greeting'], 'text');
    expect(await save(including)).toMatchObject(missing);
    await setGate('warn');
    const { id, version } = (await save('Good day!', { type: 'subprompt', name: 'Greeting' })).body as Prompt;
    await setGate('off');
    expect(await save(including)).toMatchObject(missing);
    expect(await vera.call(publishPrompt, { params: { id }, body: { version } })).toMatchObject({ status: 200 });
    expect(await save(including)).toMatchObject({ status: 201 });
  });

  it('is no prepared message', async () => {
    const body = { product_id: world.productId, name: 'Nudge', type: 'ping' as const, message: 'Hi {{ name }}' };
    const errors = ['Unknown variable name'];
    expect(await vera.call(preparedMessages.create, { body })).toMatchObject(refusal(errors, 'message'));
    const created = await vera.call(preparedMessages.create, { body: { ...body, confirm_errors: errors } });
    expect(created).toMatchObject({ status: 201, body: { message: 'Hi {{ name }}' } });
    const params = { id: (created.body as { id: number }).id };
    const change = (more: object) => vera.call(preparedMessages.change, { params, body: more });
    expect(await change({ name: 'Reminder' })).toMatchObject({ status: 200 });
    expect(await change({ message: 'Hi {{ lead.name' })).toMatchObject(
      refusal(['{{ lead.name is not closed'], 'message'),
    );
  });

  it('is no first message', async () => {
    const config = (text: string) => ({ config: { messaging_config: { initial_message_text: text } } });
    const errors = ['{lead.name} needs two braces on each side'];
    const loc = ['config', 'messaging_config', 'initial_message_text'];
    expect(await changeProduct(config('Hi {lead.name}'))).toMatchObject(refusal(errors, ...loc));
    expect(await changeProduct({ ...config('Hi {lead.name}'), confirm_errors: errors })).toMatchObject({ status: 200 });
    expect(await changeProduct({ name: 'Another name' })).toMatchObject({ status: 200 });
    expect(await changeProduct(config('Hi {{ lead.name }}'))).toMatchObject({ status: 200 });
  });
});

it('saves a text with line endings of another system as the same text', async () => {
  const { id, version } = (await save('One\nTwo\n')).body as Prompt;
  const saved = await vera.call(prompts.change, { params: { id }, body: { text: 'One\r\nTwo\r' } });
  expect(saved).toMatchObject({ status: 200, body: { version, text: 'One\nTwo\n' } });
  const changed = await vera.call(prompts.change, { params: { id }, body: { text: 'One\r\nThree' } });
  expect(changed).toMatchObject({ status: 200, body: { version: version + 1, text: 'One\nThree' } });
});
