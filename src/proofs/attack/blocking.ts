/** Attacks that block the event loop for other requests: plans, templates, and endless streamed answers. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { renderForLead } from '../../conversations/classificationConfigContract.ts';
import { readConsequences } from '../../outreach/rehearsalContract.ts';
import { fingerprint } from '../../platform/ids.ts';
import { chunk } from '../../studio/playgroundContract.ts';
import type { Client } from '../../testing/client.ts';
import { memoryMb } from '../bench/processStats.ts';
import type { Target } from './target.ts';

export interface Blocking {
  readonly lines: readonly Line[];
  readonly memory: { readonly grownMb: number; readonly asked: number; readonly cut: number };
  readonly passed: boolean;
}

interface Line {
  readonly attack: string;
  /** Name of the ordinary request. */
  readonly what: string;
  readonly quietMs: number;
  readonly attackedMs: number;
  readonly asked: number;
  readonly failed: number;
}

const LEADS = 10_000;
const STEPS = 50;
const QUIET_ROUNDS = 100;
const MAX_SLOWDOWN = 10;
const ANSWERS = 20;
const MAX_GROWTH_MB = 100;
const TIMEOUT_MS = 5000;
const HOOK_SECRET = 'the-secret-of-a-good-hook-for-the-attack';
const LOOPS = '{% for a in (1..1300) %}{% for b in (1..1300) %}{% endfor %}{% endfor %}';

export async function attackByWork(target: Target, log: (line: string) => void): Promise<Blocking> {
  const product = await createManyLeads(target);
  const member = await target.world.operator('mallory', [product.company]);
  const ordinary = await ordinaryRequests(target);
  const quiet = new Map<string, number>();
  for (let round = 0; round < QUIET_ROUNDS; round++)
    for (const { what, ask } of ordinary)
      quiet.set(what, (quiet.get(what) ?? 0) + ((await ask()) ?? TIMEOUT_MS) / QUIET_ROUNDS);
  const lines: Line[] = [];
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
  for (const [attack, begin] of Object.entries(attacks)) {
    for (const line of await during(begin, ordinary)) {
      lines.push({ ...line, attack, quietMs: quiet.get(line.what) ?? Number.NaN });
      log(
        `${attack}: ${line.what} ${line.attackedMs.toFixed(1)} ms, quiet ${(quiet.get(line.what) ?? 0).toFixed(1)} ms, ${line.failed} of ${line.asked} not served`,
      );
    }
  }
  const memory = await longAnswers(target, member, product.id);
  log(`${memory.asked} long answers: ${memory.grownMb.toFixed(0)} MB more, ${memory.cut} cut off`);
  const passed =
    memory.grownMb < MAX_GROWTH_MB &&
    memory.cut === memory.asked &&
    lines.every((one) => one.attackedMs < one.quietMs * MAX_SLOWDOWN && one.failed <= one.asked / 100);
  return { lines, memory, passed };
}

interface Ordinary {
  readonly what: string;
  /** Sends the request. Resolves to its duration in milliseconds, or to null if it was not served. */
  readonly ask: () => Promise<number | null>;
}

async function ordinaryRequests({ url, world, pool }: Target): Promise<Ordinary[]> {
  await pool.query(
    `insert into vendor_accounts (vendor, key_mask, key_hash, api_key_sealed, hook_secret_hash, hook_secret_sealed)
     values ('wazzup24', '…hook', $1, 'none', $2, 'none')`,
    [fingerprint('no key'), fingerprint(HOOK_SECRET)],
  );
  const other = await world.operator('bystander', [world.companyId]);
  const timed = (what: string, path: string, init: RequestInit = {}): Ordinary => ({
    what,
    async ask() {
      const startedAt = performance.now();
      try {
        const answer = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
        await answer.arrayBuffer();
        return answer.status === 200 ? performance.now() - startedAt : null;
      } catch {
        return null;
      }
    },
  });
  return [
    timed('/healthz', '/healthz'),
    timed("an operator's list", '/v1/leads/?limit=25', { headers: { cookie: other.cookie } }),
    timed('a good hook', `/hooks/wazzup24/${HOOK_SECRET}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [] }),
    }),
  ];
}

/** Send ordinary requests until the attack is over. */
async function during(
  begin: () => Promise<unknown>,
  ordinary: readonly Ordinary[],
): Promise<Omit<Line, 'attack' | 'quietMs'>[]> {
  const over = { yes: false };
  const attack = begin().finally(() => {
    over.yes = true;
  });
  const lines = await Promise.all(
    ordinary.map(async ({ what, ask }) => {
      const times: number[] = [];
      let failed = 0;
      do {
        const ms = await ask();
        if (ms === null) failed += 1;
        else times.push(ms);
        await pause(20);
      } while (!over.yes);
      const sorted = times.toSorted((a, b) => a - b);
      return {
        what,
        attackedMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
        asked: times.length + failed,
        failed,
      };
    }),
  );
  await attack;
  return lines;
}

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
  await pool.query(
    `with made as (
       insert into leads (product_id, name, stage) select $1, 'Lead ' || n, 'started' from generate_series(1, ${LEADS}) n returning id
     ), reached as (
       insert into contacts (lead_id, product_id, contact, contact_type, address, is_main)
       select id, $1, '7901' || id, 'whatsapp', '7901' || id, true from made returning id, address
     ), begun as (
       insert into dialogues (product_id, contact_id, channel_id, chat_id, address)
       select $1, id, $2, address, address from reached returning id, contact_id
     )
     insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, sent_at)
     select $1, contact_id, id, $2, 'Hello', 'bot', 'bot', 'sent', domain_now() from begun`,
    [world.productId, world.whatsapp.id],
  );
  const { rows } = await pool.query<{ id: string }>(
    `insert into prepared_messages (product_id, name, type, message) values ($1, 'Nudge', 'ping', 'Still there?') returning id`,
    [world.productId],
  );
  return { id: world.productId, company: world.companyId, prepared: Number(rows[0]?.id) };
}

/** Ask questions on one socket whose answers exceed every length limit. */
async function longAnswers(
  { url, world, server }: Target,
  member: Client,
  product: number,
): Promise<Blocking['memory']> {
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
  const before = memoryMb(server.child.pid)?.now ?? 0;
  for (let index = 0; index < ANSWERS; index++) await askOnce();
  const after = memoryMb(server.child.pid)?.now ?? 0;
  socket.close(1000);
  await world.control.setFaults([]);
  return { grownMb: after - before, asked: ANSWERS, cut };
}
