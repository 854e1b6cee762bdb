/** Attacks that block the event loop for other requests: plans and templates. */
import { setTimeout as pause } from 'node:timers/promises';
import { renderForLead } from '../../conversations/classificationConfigContract.ts';
import { readConsequences } from '../../outreach/rehearsalContract.ts';
import type { Client } from '../../testing/client.ts';
import { definePart } from '../harness/command.ts';
import { insertLeads } from '../harness/leads.ts';
import { probeDuring } from '../harness/probe.ts';
import { AttackReport, ordinaryRequests, type Target, withTarget } from './target.ts';

const LEADS = 10_000;
const STEPS = 50;
const QUIET_MS = 5000;
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
      return {
        text: `A member of one company requests as much work as they may. ${report.table()}`,
        violations: report.violations,
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
  // On a busy machine the plan may run out of time, or out of patience behind the company's others: 422 and 503.
  if (![200, 422, 503].includes(status)) throw new Error(`A plan was answered ${status}: ${JSON.stringify(body)}`);
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
