/**
 * slowhttptest: connections that request, send or read as slowly as possible. Ordinary requests must be served
 * meanwhile. `--connections N --seconds S`.
 */
import { stripVTControlCharacters } from 'node:util';
import { hookUrl } from '../../testing/messageRows.ts';
import { definePart } from '../harness/command.ts';
import { timed } from '../harness/load.ts';
import { probeDuring, startProbe } from '../harness/probe.ts';
import { format, table } from '../harness/report.ts';
import { type Outcome, requireProgram, run } from './externalProgram.ts';
import { ordinaryRequest, type Target, withTarget } from './target.ts';

/** An ordinary request that takes longer counts as not served. */
const TIMEOUT_MS = 5000;

const ATTACKS = [
  { name: 'Slow headers', args: ['-H', '-i', '3', '-x', '24'], path: '/v1/leads/' },
  {
    name: 'Slow body of a login',
    args: ['-B', '-i', '3', '-s', '8192', '-t', 'POST', '-x', '10'],
    path: '/v1/auth/login',
  },
  { name: 'Slow body of a hook', args: ['-B', '-i', '3', '-s', '8192', '-x', '10'], path: 'hook' },
  {
    name: 'Slow body of an unknown hook',
    args: ['-B', '-i', '3', '-s', '8192', '-x', '10'],
    path: `/hooks/wazzup24/${'A'.repeat(43)}`,
  },
  {
    name: 'Slow reading',
    args: ['-X', '-w', '256', '-y', '1024', '-n', '3', '-z', '32', '-k', '3'],
    path: '/openapi.json',
  },
  { name: 'Ranges', args: ['-R', '-a', '5', '-b', '3000', '-t', 'GET'], path: '/openapi.json' },
] as const;

interface SlowAttack {
  readonly target: Target;
  readonly hook: string;
  readonly connections: number;
  readonly seconds: number;
}

export const slow = definePart({
  heading: 'Slow connections',
  options: { connections: [1000, 100], seconds: [40, 5] },
  async run({ connections, seconds, log }) {
    requireProgram('slowhttptest');
    return withTarget(async (target) => {
      const hook = await hookUrl(target.world);
      const violations: string[] = [];
      const rows: (string | number)[][] = [];
      for (const kind of ATTACKS) {
        const list = ordinaryRequest(`${target.url}/v1/leads/`, TIMEOUT_MS, { headers: { cookie: target.cookie } });
        let outcome: Outcome | null = null;
        const { ordinary } = await probeDuring({ ordinary: list }, async () => {
          outcome = await attack(kind, { target, hook, connections, seconds });
        });
        if (!outcome || !ordinary) throw new Error('Nothing was measured');
        const { open, closed, isRefusedAtOnce } = connectionsIn(outcome);
        const probe = startProbe(list);
        const recoveryMs = await timed(async () => {
          const { failed } = await probe.stop();
          if (failed > 0) violations.push(`${kind.name}: the server does not answer afterwards`);
        });
        if (ordinary.failed > 0) violations.push(`${kind.name}: ${ordinary.failed} ordinary requests were not served`);
        if (!isRefusedAtOnce && open === 0) violations.push(`${kind.name}: no connection was opened`);
        rows.push([
          kind.name,
          open + closed === 0 ? 'all refused at once' : `${open} / ${closed}`,
          ordinary.asked,
          `**${ordinary.failed}**`,
          `${format(ordinary.medianMs, 'ms')} / ${format(ordinary.worstMs, 'ms')}`,
          format(recoveryMs, 'ms'),
        ]);
        log(`${kind.name}: ${ordinary.asked} ordinary requests, ${ordinary.failed} not served`);
      }
      return {
        text: `slowhttptest with ${connections} connections for ${seconds} s. Meanwhile a list of leads is requested, one request after the other with 50 ms between them; one that is not answered with 200 within 5 s counts as not served.

${table(['attack', 'connections open / closed', 'ordinary requests', 'not served', 'median / worst', 'first answer afterwards'], rows)}`,
        violations,
      };
    });
  },
});

function attack(kind: (typeof ATTACKS)[number], { target, hook, connections, seconds }: SlowAttack): Promise<Outcome> {
  const perSecond = String(Math.ceil(connections / 4));
  const args = ['-c', String(connections), '-r', perSecond, '-l', String(seconds), '-p', '5'];
  const address = ['-u', kind.path === 'hook' ? hook : `${target.url}${kind.path}`];
  // The cookie option also adds the Origin header, as slowhttptest has no option for headers. A login without an
  // origin is refused before its body is read.
  const cookie = ['-j', `${target.cookie}\r\nOrigin: ${target.url}`];
  return run('slowhttptest', [...kind.args, ...args, ...address, ...cookie], (seconds + 60) * 1000);
}

/** Return the most connections that were open at any check, and how many the server had closed by then. */
function connectionsIn({ output }: Outcome): { open: number; closed: number; isRefusedAtOnce: boolean } {
  const most = (state: string): number => {
    const all = stripVTControlCharacters(output).matchAll(new RegExp(`${state}:\\s+(\\d+)`, 'g'));
    return Math.max(0, ...[...all].map((one) => Number(one[1])));
  };
  const isRefusedAtOnce = output.includes('No open connections left');
  return { open: most('connected'), closed: most('closed'), isRefusedAtOnce };
}
