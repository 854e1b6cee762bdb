/** The target of the attacks: a server process of its own, with a company that has a row of every kind. */
import type pg from 'pg';
import type { Endpoint } from '../../platform/contract.ts';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { hookUrl, inboundItem } from '../../testing/messageRows.ts';
import type { World } from '../../testing/world.ts';
import type { ProbeOptions, ProbeResult } from '../harness/probe.ts';
import { format, table } from '../harness/report.ts';
import { withApp, withNodes } from '../harness/world.ts';

/** Limits for ordinary requests during an attack: the slowdown factor, and the share that may fail. */
const MAX_SLOWDOWN = 10;
const MAX_FAILED_SHARE = 0.01;

export interface Target {
  readonly url: string;
  /** The company with conversations, beside the one that has a row of every kind. */
  readonly world: World;
  readonly pool: pg.Pool;
  /** Endpoints as they are served. */
  readonly endpoints: readonly Endpoint[];
  readonly rows: CompanyRowIds;
  /** Session cookie of an admin. */
  readonly cookie: string;
}

/** Start the product on a database of its own, with its hooks connected, and attack it. */
export function withTarget<T>(
  attack: (target: Target) => Promise<T>,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  const env = {
    ...more,
    // The floods send from addresses that they name themselves.
    RAPPORT_TRUST_PROXY: 'on',
    RAPPORT_LOG_LEVEL: 'error',
    RAPPORT_STRICT_REPLIES: 'off',
    RAPPORT_SWEEP_SECONDS: '1',
  };
  return withNodes({ env }, async (world) => {
    const endpoints = await withApp(world, async ({ routes }) => routes.map((one) => one.endpoint), ['web']);
    const rows = await createCompanyWithEveryResource(world.pool, 'Amber');
    for (const name of ['Basalt', 'Copper', 'Dolomite']) await createCompanyWithEveryResource(world.pool, name);
    const { cookie } = await world.operator('root');
    return attack({ url: world.url, world, pool: world.pool, endpoints, rows, cookie });
  });
}

/** An ordinary request, one after another; one that takes longer than `timeoutMs` is not served. */
export function ordinaryRequest(url: string, timeoutMs: number, init: RequestInit = {}): ProbeOptions {
  return { request: () => fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }), everyMs: 50 };
}

/** A probe, an operator's list and a hook, as others request them during an attack. */
export async function ordinaryRequests(
  { world, url }: Target,
  timeoutMs: number,
): Promise<Record<string, ProbeOptions>> {
  const { cookie } = await world.operator('bystander', [world.companyId]);
  const lead = await world.lead('Anna');
  const echo = { messages: [inboundItem(world, lead.address, 'Hello', { isEcho: true, status: 'sent' })] };
  const headers = { 'content-type': 'application/json' };
  return {
    '`/healthz`': ordinaryRequest(`${url}/healthz`, timeoutMs),
    'a list': ordinaryRequest(`${url}/v1/leads/?limit=25`, timeoutMs, { headers: { cookie } }),
    'a good hook': ordinaryRequest(await hookUrl(world), timeoutMs, {
      method: 'POST',
      headers,
      body: JSON.stringify(echo),
    }),
  };
}

/** Compares ordinary requests during attacks with quiet ones. */
export class AttackReport {
  readonly violations: string[] = [];
  readonly #rows: (string | number)[][] = [];

  add(attack: string, quiet: Record<string, ProbeResult>, busy: Record<string, ProbeResult>): void {
    for (const [name, { asked, failed, medianMs, p99Ms }] of Object.entries(busy)) {
      const before = quiet[name];
      if (failed > asked * MAX_FAILED_SHARE || medianMs >= (before?.medianMs ?? Number.NaN) * MAX_SLOWDOWN)
        this.violations.push(
          `${attack}: ${name} took ${format(medianMs, 'ms')}, ${failed} of ${asked} were not served`,
        );
      const quietTimes = `${format(before?.medianMs)} / ${format(before?.p99Ms, 'ms')}`;
      this.#rows.push([
        attack,
        name,
        quietTimes,
        `${format(medianMs)} / ${format(p99Ms, 'ms')}`,
        asked,
        `**${failed}**`,
      ]);
    }
  }

  table(): string {
    const head = ['attack', 'ordinary request', 'quiet, median / p99', 'under attack', 'asked', 'not served'];
    return `Meanwhile ordinary requests are sent, one after the other of each kind with 50 ms between them; the median has to stay under ${MAX_SLOWDOWN} times the quiet one, and 99 % have to be served.

${table(head, this.#rows)}`;
  }
}
