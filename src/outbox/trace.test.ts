import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type App, startApp } from '../app.ts';
import { messages } from '../conversations/contract.ts';
import { readConfig } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';
import { connectHooks } from '../testing/serverProcess.ts';
import { waitUntilIdle } from '../testing/waitUntilIdle.ts';
import { createWorld, type World } from '../testing/world.ts';

const QUESTION = 'How long does delivery take? My door code is 4711-unspoken';
/** The log level of ordinary lines. */
const INFO = 30;

let world: World;
let app: App;
let lines: string[] = [];

beforeAll(async () => {
  world = await createWorld({ serve: false });
  const log = createLog('info', {}, { write: (line) => void lines.push(line) });
  app = await startApp(readConfig(world.env()), log);
  await connectHooks(world);
});
afterAll(async () => {
  await app.stop();
  await world.close();
});
beforeEach(() => {
  lines = [];
});

const drain = () => waitUntilIdle({ pool: world.pool, control: world.control, app });
const parse = (line: string): Record<string, unknown> => JSON.parse(line);
/** Return the lines that a grep for the trace finds. */
const linesOfTrace = (trace: string) => lines.filter((line) => line.includes(trace)).map(parse);
const sentences = (trace: string) => linesOfTrace(trace).map((line) => line['msg']);

async function traces(contactId: number): Promise<{ id: number; side: string; trace: string }[]> {
  const { rows } = await world.pool.query<{ id: number; side: string; trace: string }>(
    'select id::int, side, trace from messages where contact_id = $1 order by id',
    [contactId],
  );
  return rows;
}

describe('one id', () => {
  it('logs a message from the webhook to the last status of its answer, in order', async () => {
    const anna = await world.lead('Anna');
    await anna.writes(QUESTION);
    await drain();
    const [asked, answered] = await traces(anna.contactId);
    if (!asked || !answered) throw new Error('There was no answer');
    expect(answered.trace).toBe(asked.trace);
    const steps = linesOfTrace(asked.trace);
    // The vendor decides which status arrives when.
    expect(sentences(asked.trace).filter((one) => one !== 'status')).toEqual([
      'hooks stored',
      'received',
      'answering',
      'model answered',
      'composed',
      'sending',
      'settled',
    ]);
    expect(steps.filter((one) => one['msg'] === 'status').at(-1)).toMatchObject({
      message: answered.id,
      status: 'read',
    });
    expect(steps.find((one) => one['msg'] === 'received')).toMatchObject({ message: asked.id });
    expect(steps.find((one) => one['msg'] === 'settled')).toMatchObject({ message: answered.id, outcome: 'accepted' });
    const { rows } = await world.pool.query<{ trace: string }>(
      "select metadata->>'trace' as trace from llm_runs where message_id = $1",
      [answered.id],
    );
    expect(rows).toEqual([{ trace: asked.trace }]);
  });

  it('separates two concurrent conversations', async () => {
    const leads = [await world.lead('Boris'), await world.lead('Clara')];
    await Promise.all(leads.map((one) => one.writes(QUESTION)));
    await drain();
    for (const one of leads) {
      const [asked, answered] = await traces(one.contactId);
      const dialogue = await one.dialogueId();
      expect(answered?.trace).toBe(asked?.trace);
      const dialogues = linesOfTrace(asked?.trace ?? '').flatMap((line) => line['dialogue'] ?? []);
      expect(new Set(dialogues)).toEqual(new Set([dialogue]));
    }
  });

  it("follows an operator's message from the request on", async () => {
    const dora = await world.lead('Dora');
    const admin = await world.operator();
    const sent = await admin.call(messages.create, {
      body: { product_id: world.productId, contact_id: dora.contactId, message: 'One.\n\nTwo.', delay_enabled: false },
    });
    await drain();
    const rows = await traces(dora.contactId);
    expect(rows.map((row) => row.trace)).toEqual([sent.headers.get('x-request-id'), sent.headers.get('x-request-id')]);
    expect(sentences(rows[0]?.trace ?? '').filter((one) => one !== 'status')).toEqual([
      'composed',
      'sending',
      'settled',
      'sending',
      'settled',
    ]);
  });

  it('logs model failures and refused sends', async () => {
    const elena = await world.lead('Elena');
    await world.control.setFaults([{ kind: 'openai.unauthorized', times: 1 }]);
    await elena.writes(QUESTION);
    await drain();
    const [asked] = await traces(elena.contactId);
    expect(sentences(asked?.trace ?? '')).toEqual(['hooks stored', 'received', 'answering', 'model failed']);
  });
});

it('logs no text, no address and no error level', async () => {
  const frida = await world.lead('Frida Unspoken');
  await frida.writes(QUESTION);
  await drain();
  const all = lines.join('');
  expect(all).toContain('settled');
  for (const word of ['4711', 'six weeks', frida.address, 'Unspoken']) expect(all.includes(word), word).toBe(false);
  expect(lines.map(parse).filter((line) => Number(line['level']) > INFO)).toEqual([]);
});
