/**
 * A process that only sends requests. Its argument gives their kind, their concurrency and the target. It runs until it
 * is killed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const { kind, url, connections, cookie, body } = z
  .object({
    kind: z.enum(['hooks', 'model', 'logins']),
    url: z.string(),
    connections: z.number(),
    cookie: z.string(),
    body: z.string(),
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

const JSON_TYPE = { 'content-type': 'application/json' };
/** A hook larger than any vendor sends, with as many items as the server once accepted. */
const LONG_HOOK = JSON.stringify({
  statuses: Array.from({ length: 10_000 }, (_, index) => ({
    messageId: String(index),
    status: 'read',
    pad: 'x'.repeat(20),
  })),
});

const REFUSED_MS = 250;

let asked = 0;
const answers: Record<string, number> = {};

async function ask(): Promise<number> {
  asked += 1;
  const anonymousHeaders = { ...JSON_TYPE, origin: url, 'x-forwarded-for': `203.0.113.${asked % 60}` };
  const request = {
    hooks: () => [`/hooks/wazzup24/${crypto.randomUUID()}${crypto.randomUUID()}`, anonymousHeaders, LONG_HOOK] as const,
    model: () => ['/v1/llm/generate', { ...JSON_TYPE, origin: url, cookie }, body] as const,
    logins: () =>
      [
        '/v1/auth/login',
        anonymousHeaders,
        JSON.stringify({ login: `nobody ${asked}`, password: 'a wrong one' }),
      ] as const,
  };
  const [path, headers, sent] = request[kind]();
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: sent });
  await answer.arrayBuffer();
  return answer.status;
}

async function keepAsking(): Promise<never> {
  for (;;) {
    const status = await ask().catch(() => 0);
    answers[status] = (answers[status] ?? 0) + 1;
    // A client that sends faster than this is a flood, which the proxy has to limit.
    if ([429, 503].includes(status)) await pause(REFUSED_MS);
  }
}

setInterval(() => console.log(JSON.stringify(answers)), 500);
for (let connection = 0; connection < connections; connection++) void keepAsking();
