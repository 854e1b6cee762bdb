/** Attacks that block the event loop for other requests: plans, templates, and endless streamed answers. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { renderForLead } from '../../conversations/classificationConfigContract.ts';
import { readConsequences } from '../../outreach/rehearsalContract.ts';
import { chunk } from '../../studio/playgroundContract.ts';
import type { Client } from '../../testing/client.ts';
import { definePart } from '../harness/command.ts';
import { insertLeads } from '../harness/leads.ts';
import { probeDuring } from '../harness/probe.ts';
import { memoryMb } from '../harness/processes.ts';
import { format } from '../harness/report.ts';
import { AttackReport, ordinaryRequests, type Target, withTarget } from './target.ts';

const LEADS = 10_000;
const STEPS = 50;
const QUIET_MS = 5000;
const ANSWERS = 20;
const MAX_GROWTH_MB = 100;
const TIMEOUT_MS = 5000;
const LOOPS = '{% for a in (1..1300) %}{% for b in (1..1300) %}{% endfor %}{% endfor %}';

export const block = definePart({
  heading: 'Work that blocks',
  options: {},
  run: ({ log }) =>
    withTarget(async (target) => {
      const product = await createManyLeads(target);
      const member = await target.world.operator('mallory', [product.company]);
      const ordinary = await ordinaryRequests(target, TIMEOUT_MS);
      const quiet = await probeDuring(ordinary, () => pause(QUIET_MS));
      const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
        'five plans of 10,000 leads, 92 days and 50 follow-ups': () =>
          Promise.all(Array.from({ length: 5 }, () => plan(member, product))),
        'a hundred templates with empty loops, twenty at once': () =>
          Promise.all(
            Array.from({ length: 20 }, async () => {
              for (let index = 0; index < 5; index++) await render(member, product.id);
            }),
          ),
      };
      const report = new AttackReport();
      for (const [attack, begin] of Object.entries(attacks)) {
        report.add(attack, quiet, await probeDuring(ordinary, begin));
        log(`${attack}: done`);
      }
      const { violations } = report;
      const { grownMb, cut } = await longAnswers(target, member, product.id);
      if (grownMb >= MAX_GROWTH_MB) violations.push(`long answers grew the process by ${format(grownMb, 'MB')}`);
      if (cut < ANSWERS) violations.push(`${ANSWERS - cut} long answers were not cut off`);
      return {
        text: `A member of one company requests as much work as they may. ${report.table()}

${ANSWERS} streamed answers of 300 KB each on one socket of the playground: the process grew by **${format(grownMb, 'MB')}** (at most ${MAX_GROWTH_MB}), and ${cut} were cut off at 256 KB.`,
        violations,
      };
    }),
});

async function plan(member: Client, { id: product, prepared }: Product): Promise<void> {
  const steps = Array.from({ length: STEPS }, (_none, index) => ({
    step_number: index + 1,
    after_minutes: 60,
    prepared_message_id: prepared,
    prompt_id: null,
    document_type: null,
  }));
  const config = { use_on_no_init_msg_reply: true, steps };
  const { status, body } = await member.call(readConsequences, {
    body: { product_id: product, days: 92, proposal: { pings: { is_enabled: true, config } } },
  });
  // On a busy machine the plan may run out of time, which is answered with 422 and also ends it.
  if (status !== 200 && status !== 422) throw new Error(`A plan was answered ${status}: ${JSON.stringify(body)}`);
}

async function render(member: Client, product: number): Promise<void> {
  await member.call(renderForLead, { body: { product_id: product, text: LOOPS } });
}

interface Product {
  readonly id: number;
  readonly company: number;
  readonly prepared: number;
}

/** Create a product with leads that all wait for follow-ups. */
async function createManyLeads({ pool, world }: Target): Promise<Product> {
  const products = [{ id: world.productId, channelId: world.whatsapp.id }];
  await insertLeads(pool, { count: LEADS, products, stage: 'started' });
  await pool.query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, sent_at)
     select product_id, contact_id, id, channel_id, 'Hello', 'bot', 'bot', 'sent', domain_now() from dialogues where product_id = $1`,
    [world.productId],
  );
  const { rows } = await pool.query<{ id: string }>(
    `insert into prepared_messages (product_id, name, type, message) values ($1, 'Nudge', 'ping', 'Still there?') returning id`,
    [world.productId],
  );
  return { id: world.productId, company: world.companyId, prepared: Number(rows[0]?.id) };
}

/** Ask questions on one socket whose answers exceed every length limit. */
async function longAnswers(
  { url, world, pid }: Target,
  member: Client,
  product: number,
): Promise<{ grownMb: number; cut: number }> {
  await world.control.setFaults([{ kind: 'openai.says', says: `${'€'.repeat(999)} `.repeat(100) }]);
  const address = `${url.replace('http', 'ws')}/v1/llm/ws/chat/simple?product_id=${product}`;
  const socket = new WebSocket(address, { headers: { cookie: member.cookie, origin: url } });
  await once(socket, 'open');
  let cut = 0;
  const askOnce = async (): Promise<void> => {
    const ended = new Promise<void>((resolve) => {
      socket.on('message', function onMessage(data) {
        const one = chunk.parse(JSON.parse(String(data)));
        if (!one.is_finished) return;
        if (one.is_error && one.content.includes('256 KB')) cut += 1;
        socket.off('message', onMessage);
        resolve();
      });
    });
    socket.send(JSON.stringify({ content: 'Tell me everything' }));
    await ended;
  };
  await askOnce();
  cut = 0;
  const before = memoryMb(pid)?.now ?? 0;
  for (let index = 0; index < ANSWERS; index++) await askOnce();
  const after = memoryMb(pid)?.now ?? 0;
  socket.close(1000);
  await world.control.setFaults([]);
  return { grownMb: after - before, cut };
}
