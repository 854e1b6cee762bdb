/** Single requests, one at a time: the wait of one operator. */
import { Agent, get } from 'node:http';

export interface Target {
  readonly url: string;
  /** Empty for a server without sessions. */
  readonly cookie: string;
}

const WARMING = 12;

/**
 * Return medians in milliseconds of single requests on kept-alive connections. Requests each target in turn and starts
 * each round with another one.
 */
export async function requestTimes(targets: readonly Target[], rounds: number, warming = WARMING): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const durations = targets.map((): number[] => []);
  for (let round = -warming; round < rounds; round++)
    for (let turn = 0; turn < targets.length; turn++) {
      const index = (round + warming + turn) % targets.length;
      const target = targets[index];
      if (!target) continue;
      const ms = await request(target, agent);
      if (round >= 0) durations[index]?.push(ms);
    }
  agent.destroy();
  return durations.map((values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0);
}

/** Return the milliseconds from the request to the last byte of its answer. */
function request({ url, cookie }: Target, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    get(url, { agent, headers: cookie ? { cookie } : {} }, (answer) => {
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - startedAt);
        else reject(new Error(`${url}: ${answer.statusCode}`));
      });
      answer.resume();
    }).on('error', reject);
  });
}
