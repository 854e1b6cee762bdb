/** A process that does nothing but ask: its argument says of what kind, how many at once, and where. Ends when it is killed. */
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
/** As large as a hook that a vendor would never send, of as many items as were taken once. */
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
    // Who comes faster than that is a flood, which is for the proxy to limit.
    if ([429, 503].includes(status)) await pause(REFUSED_MS);
  }
}

setInterval(() => console.log(JSON.stringify(answers)), 500);
for (let connection = 0; connection < connections; connection++) void keepAsking();
