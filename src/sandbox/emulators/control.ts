/** The client of the emulators' control API. */
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { ControlApi } from './controlApi.ts';
import type { Entry, EntryOf } from './entries.ts';

/** The emulators refused a control call, or could not be reached (`status` 0). */
export class ControlError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
  }
}

/** The methods of an API, called from another process. */
type Remote<Api> = {
  readonly [K in keyof Api]: Api[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : Remote<Api[K]>;
};

export type ControlClient = ReturnType<typeof controlClient>;

/** Not `fetch`, whose first call compiles a second copy of this client. */
const agent = new Agent();

async function call(url: string, token: string, name: string, args: readonly unknown[]): Promise<unknown> {
  const isPing = name === 'ping';
  const { statusCode, body } = await request(`${url}/control/${name}`, {
    dispatcher: agent,
    method: isPing ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, ...(isPing ? {} : { 'content-type': 'application/json' }) },
    body: isPing ? null : JSON.stringify(args),
    signal: AbortSignal.timeout(30_000),
  }).catch((error: unknown) => {
    throw new ControlError(0, `${name}: ${error instanceof Error ? error.message : String(error)}`);
  });
  const answer: unknown = await body.json();
  if (statusCode < 300) return answer;
  throw new ControlError(statusCode, `${name}: ${statusCode} ${Object(answer).detail}`);
}

/** Create a client. `url` is the emulators' own (`http://127.0.0.1:PORT`), `token` that of emulators.json. */
export function controlClient(url: string, token: string) {
  // Both sides run the same code, so that the types of the API hold for its answers.
  const methodsOf = (prefix: string, own: object) =>
    new Proxy(own, {
      get: (target, name) =>
        Reflect.get(target, name) ??
        (typeof name === 'string' && name !== 'then'
          ? (...args: unknown[]) => call(url, token, `${prefix}${name}`, args)
          : undefined),
    });
  const api = methodsOf('', { amocrm: methodsOf('amocrm.', {}) }) as Remote<ControlApi>;

  async function entries(after = 0): Promise<Entry[]> {
    const all: Entry[] = [];
    for (let from = after; ; ) {
      const page = await api.journal(from, 5_000);
      all.push(...page.entries);
      from = page.entries.at(-1)?.seq ?? from;
      if (page.entries.length === 0 || from >= page.last) return all;
    }
  }

  return Object.assign(api, {
    /** Read the whole journal after a number, page by page. */
    entries,
    /** Read the entries of one kind from the whole journal. */
    entriesOf: async <K extends Entry['kind']>(kind: K, after = 0): Promise<EntryOf<K>[]> =>
      (await entries(after)).filter((entry): entry is EntryOf<K> => entry.kind === kind),
    /** Wait until nothing is in flight. Throws after the timeout. */
    untilQuiet: async (timeoutMs = 10_000): Promise<void> => {
      const limit = performance.now() + timeoutMs;
      for (;;) {
        const now = await api.quiet();
        if (now.quiet) return;
        if (performance.now() > limit) throw new Error(`The emulators are not quiet: ${JSON.stringify(now)}`);
        await pause(10);
      }
    },
  });
}
