/**
 * Floods of requests, and how other requests fare meanwhile: a probe, a valid hook and an operator's list.
 * `--crowd-seconds S`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { definePart } from '../harness/command.ts';
import { probeDuring } from '../harness/probe.ts';
import { formatCounts } from '../harness/report.ts';
import { AttackReport, ordinaryRequests, withTarget } from './target.ts';

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
      const ordinary = await ordinaryRequests(target, TIMEOUT_MS);
      const { cookie } = await world.operator('floods the model', [world.companyId]);
      const call = {
        product_id: world.productId,
        purpose: 'chatbot',
        content: 'Hello',
        vendor: 'chatgpt',
        model: SILENT,
      };
      const report = new AttackReport();
      const answers: string[] = [];
      for (const { kind, name, connections } of FLOODS) {
        const quiet = await probeDuring(ordinary, () => pause(seconds * 1000));
        const flood = startFlood({ kind, url, connections, cookie, body: JSON.stringify(call) });
        // Wait until the flood is at full strength.
        await pause(3000);
        report.add(
          `${name}, ${connections} connections`,
          quiet,
          await probeDuring(ordinary, () => pause(seconds * 1000)),
        );
        answers.push(`- ${name}: ${formatCounts(flood.close())}`);
        log(`${name}: done`);
        await pause(2000);
      }
      return {
        text: `A process of its own sends requests on so many connections, each again at once, or 250 ms after a refusal with 429 or 503. ${report.table()}

Answers to the crowds, by status (0: cut off):

${answers.join('\n')}`,
        violations: report.violations,
      };
    }),
});

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
