/**
 * Floods of requests, and how other requests fare meanwhile: a probe, a valid hook and an operator's list.
 * `--crowd-seconds S`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hookUrl, inboundItem } from '../../testing/messageRows.ts';
import { definePart } from '../harness/command.ts';
import { type ProbeOptions, probeDuring } from '../harness/probe.ts';
import { format, formatCounts, table } from '../harness/report.ts';
import { MAX_FAILED_SHARE, MAX_SLOWDOWN, ordinaryRequest, type Target, withTarget } from './target.ts';

const TIMEOUT_MS = 10_000;
/** A model whose calls never end. */
const SILENT = 'gpt-4o-mini';

const FLOODS = [
  { kind: 'hooks', name: 'Hooks to unknown addresses, 612 KB each', connections: 20 },
  { kind: 'model', name: 'Calls to a model that never answers', connections: 256 },
  { kind: 'logins', name: 'Wrong logins from 60 addresses', connections: 300 },
] as const;

export const crowds = definePart({
  heading: 'Crowds',
  options: { 'crowd-seconds': [15, 3] },
  run: ({ 'crowd-seconds': seconds, log }) =>
    withTarget(async (target) => {
      const { world, url } = target;
      await world.control.setFaults([{ kind: 'openai.stall_first', match: { model: SILENT } }]);
      const ordinary = await ordinaryRequests(target);
      const { cookie } = await world.operator('floods the model', [world.companyId]);
      const call = {
        product_id: world.productId,
        purpose: 'chatbot',
        content: 'Hello',
        vendor: 'chatgpt',
        model: SILENT,
      };
      const rows: (string | number)[][] = [];
      const answers: string[] = [];
      const violations: string[] = [];
      for (const { kind, name, connections } of FLOODS) {
        const quiet = await probeDuring(ordinary, () => pause(seconds * 1000));
        const flood = startFlood({ kind, url, connections, cookie, body: JSON.stringify(call) });
        // Wait until the flood is at full strength.
        await pause(3000);
        const flooded = await probeDuring(ordinary, () => pause(seconds * 1000));
        answers.push(`- ${name}: ${formatCounts(flood.close())}`);
        for (const [request, { asked, failed, medianMs, p99Ms }] of Object.entries(flooded)) {
          const before = quiet[request];
          if (failed > asked * MAX_FAILED_SHARE || medianMs >= (before?.medianMs ?? 0) * MAX_SLOWDOWN)
            violations.push(
              `${name}: ${request} took ${format(medianMs, 'ms')}, ${failed} of ${asked} were not served`,
            );
          const times = (one: typeof before): string => `${format(one?.medianMs)} / ${format(one?.p99Ms, 'ms')}`;
          rows.push([
            name,
            connections,
            request,
            times(before),
            `${format(medianMs)} / ${format(p99Ms, 'ms')}`,
            asked,
            `**${failed}**`,
          ]);
        }
        log(`${name}: done`);
        await pause(2000);
      }
      return {
        text: `A process of its own sends requests on so many connections, each again at once, or 250 ms after a refusal with 429 or 503. Meanwhile ordinary requests are sent, one after the other of each kind with 50 ms between them; the median has to stay under ${MAX_SLOWDOWN} times the quiet one, and 99 % have to be served.

${table(['crowd', 'connections', 'others', 'quiet, median / p99', 'with the crowd', 'asked', 'not served'], rows)}

Answers to the crowds, by status (0: cut off):

${answers.join('\n')}`,
        violations,
      };
    }),
});

async function ordinaryRequests({ world, url }: Target): Promise<Record<string, ProbeOptions>> {
  const { cookie } = await world.operator('bystander', [world.companyId]);
  const lead = await world.lead('Anna');
  const echo = { messages: [inboundItem(world, lead.address, 'Hello', { isEcho: true, status: 'sent' })] };
  return {
    '`/healthz`': ordinaryRequest(`${url}/healthz`, TIMEOUT_MS),
    'a good hook': ordinaryRequest(await hookUrl(world), TIMEOUT_MS, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(echo),
    }),
    'a list': ordinaryRequest(`${url}/v1/leads/`, TIMEOUT_MS, { headers: { cookie } }),
  };
}

function startFlood(order: object): { close: () => Record<string, number> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'floodProcess.ts'), JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const atExit = (): void => void child.kill('SIGKILL');
  process.once('exit', atExit);
  let answers: Record<string, number> = {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const last = text.trim().split('\n').at(-1);
    if (last?.startsWith('{') && last.endsWith('}')) answers = JSON.parse(last);
  });
  return {
    close() {
      process.off('exit', atExit);
      child.kill('SIGKILL');
      return answers;
    },
  };
}
