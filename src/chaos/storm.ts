/**
 * The storm: leads write in bursts, an operator writes too, vendors misbehave, and server processes and PostgreSQL are
 * killed at random while all of it is under way.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { registerHook } from '../channels/contract.ts';
import { messages } from '../dialogues/contract.ts';
import type { Postgres } from '../platform/postgres/supervisor.ts';
import type { Fault } from '../sandbox/emulators/contract.ts';
import type { Client } from '../testing/client.ts';
import type { Person, World } from '../testing/world.ts';
import type { ServerNode } from './node.ts';

export interface Storm {
  readonly kills: number;
  readonly messages: number;
  /** Between 0 and 1, repeatable. */
  readonly random: () => number;
  readonly say: (line: string) => void;
}

export interface Passed {
  readonly nodeKills: number;
  readonly databaseKills: number;
  readonly stops: number;
  readonly slowestStopMs: number;
  /** What the operator's calls were answered with, by client key: the message is ours to send. */
  readonly accepted: readonly string[];
}

/** What vendors do to us meanwhile. No hook is lost for good: nobody could account for it. */
export const FAULTS: readonly Fault[] = [
  { kind: 'wazzup24.lose_answer', probability: 0.06 },
  { kind: 'wazzup24.fail_before', probability: 0.04 },
  { kind: 'wazzup24.fail_after', probability: 0.04 },
  { kind: 'wazzup24.rate_limited', probability: 0.04 },
  { kind: 'wazzup24.rubbish', probability: 0.02, after: true },
  { kind: 'wazzup24.delay', probability: 0.1, ms: 400, after: true },
  { kind: 'wazzup24.status_first', probability: 0.1 },
  { kind: 'wazzup24.statuses_reordered', probability: 0.2 },
  { kind: 'hooks.duplicate', probability: 0.2, copies: 2 },
  { kind: 'hooks.shuffle', probability: 0.15, size: 4, ms: 150 },
  { kind: 'hooks.mix', probability: 0.1, ms: 100 },
  { kind: 'hooks.fail', probability: 0.1 },
  { kind: 'openai.server_error', probability: 0.05 },
  { kind: 'openai.cut', probability: 0.05, afterTokens: 2 },
];

const QUESTIONS = [
  'What does a kitchen cost?',
  'How long does delivery take?',
  'When is the showroom open?',
  'Hello again',
  'And for two kitchens?',
];

/** Leads that the bot talks to, and some whose dialogues an operator leads. */
export async function people(world: World, count: number): Promise<{ leads: Person[]; led: Person[] }> {
  const all: Person[] = [];
  for (let index = 0; index < count; index++)
    all.push(await world.lead(`Lead ${index + 1}`, { messenger: index % 3 === 2 ? 'telegram' : 'whatsapp' }));
  const led = all.filter((_, index) => index % 5 === 4 && index % 3 !== 2);
  return { leads: all.filter((one) => !led.includes(one)), led };
}

/** The vendor sends its hooks to the world's address from now on. */
export async function connect(world: World, operator: Client): Promise<void> {
  const answer = await operator.call(registerHook, { params: { id: world.whatsapp.id }, query: { replace: true } });
  if (answer.status !== 201 && answer.status !== 208)
    throw new Error(`The hook cannot be registered: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Lets the storm pass; every process is up again when it resolves. */
export async function rage(
  storm: Storm,
  parts: { world: World; nodes: readonly ServerNode[]; postgres: Postgres; operator: Client },
): Promise<Passed> {
  const { world, nodes, postgres, operator } = parts;
  const { random } = storm;
  const { leads, led } = await people(world, Math.max(6, Math.min(60, Math.round(storm.messages / 8))));
  const accepted: string[] = [];
  const passed = { nodeKills: 0, databaseKills: 0, stops: 0, slowestStopMs: 0, accepted };
  const pick = <T>(from: readonly T[]): T => {
    const one = from[Math.floor(random() * from.length)];
    if (one === undefined) throw new Error('Nothing to pick from');
    return one;
  };
  let typed = 0;

  async function burst(length: number): Promise<void> {
    const lead = pick(leads);
    for (let index = 0; index < length; index++) {
      await lead.writes(`${pick(QUESTIONS)} (${Math.floor(random() * 1e9)})`);
      if (random() < 0.5) await pause(random() * 60);
    }
  }

  /** As a console does it: the same key until an answer comes. */
  async function type(): Promise<void> {
    const person = pick(led);
    const key = `typed ${++typed}`;
    for (let tries = 0; tries < 400; tries++) {
      const answer = await operator
        .call(messages.create, {
          body: { product_id: world.productId, contact_id: person.contactId, message: key, client_key: key },
        })
        .catch(() => null);
      if (answer?.status === 201) return void accepted.push(key);
      if (answer && answer.status < 500) throw new Error(`Typed message refused: ${answer.status}`);
      await pause(50);
    }
    throw new Error('The operator wrote in vain for 20 s');
  }

  async function strike(): Promise<void> {
    const dice = random();
    if (dice < 0.25) {
      passed.databaseKills++;
      return postgres.restart(random() < 0.5 ? 'kill' : 'fast');
    }
    const node = pick(nodes);
    if (dice < 0.35) {
      passed.stops++;
      passed.slowestStopMs = Math.max(passed.slowestStopMs, await node.stop());
    } else {
      passed.nodeKills++;
      await node.kill();
    }
    await pause(random() * 800);
    await node.start();
  }

  const rounds = Math.max(1, storm.kills);
  let left = storm.messages;
  for (let round = 0; round < rounds; round++) {
    const share = Math.ceil(left / (rounds - round));
    left -= share;
    const writing: Promise<void>[] = [];
    for (let rest = share; rest > 0; ) {
      const length = Math.min(rest, 1 + Math.floor(random() * 4));
      rest -= length;
      const wait = random() * 900;
      writing.push(pause(wait).then(() => burst(length)));
    }
    if (led.length > 0) writing.push(pause(random() * 900).then(type));
    if (storm.kills > 0) writing.push(pause(random() * 900).then(strike));
    await Promise.all(writing);
    if ((round + 1) % 10 === 0) storm.say(`${round + 1} of ${rounds} blows`);
  }
  return passed;
}
