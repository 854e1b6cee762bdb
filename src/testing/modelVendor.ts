/** A model vendor on loopback that speaks OpenAI's protocol and answers whatever a test wants, with any usage. It lists no models. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { World } from './world.ts';

export interface VendorAnswer {
  /** Default 200. */
  readonly status?: number;
  /** Each is one event; a text is sent as it is. */
  readonly events: readonly unknown[];
  /** The connection is cut after them. */
  readonly isCut?: boolean;
}

/** A chunk with text, its end and usage. */
export const textAnswer = (
  content: string,
  usage: { readonly prompt_tokens: number; readonly completion_tokens: number },
  finish_reason = 'stop',
): VendorAnswer => ({
  events: [{ choices: [{ delta: { content } }] }, { choices: [{ delta: {}, finish_reason }] }, { choices: [], usage }],
});

export interface ModelVendor {
  /** Requests that have arrived. */
  readonly requests: readonly Record<string, unknown>[];
  /** Answers not sent yet. */
  inFlight(): number;
  /** The next requests are answered in this order; the last answer is repeated. */
  answer(...answers: readonly VendorAnswer[]): void;
  /** Answer each request with what the function returns when it arrives. */
  answerEach(next: () => VendorAnswer): void;
  /** Hold answers back until the returned function is called. */
  hold(): () => void;
  close(): Promise<void>;
}

/** Start a vendor and make it the company's own in a world. `afterMs`: how long an answer takes. */
export async function startModelVendor(world: World, afterMs = 0): Promise<ModelVendor> {
  const requests: Record<string, unknown>[] = [];
  let next = (): VendorAnswer | undefined => undefined;
  let gate: PromiseWithResolvers<void> | null = null;
  let inFlight = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (request.method === 'GET') return response.end('{"data":[]}');
      requests.push(JSON.parse(body));
      const answer = next();
      inFlight++;
      void (gate?.promise ?? pause(afterMs)).then(() => {
        inFlight--;
        send(response, answer ?? { status: 500, events: ['{}'] });
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  await world.pool.query("update company_llms set config = $1 where company_id = $2 and vendor = 'chatgpt'", [
    { base_url },
    world.companyId,
  ]);
  return {
    requests,
    inFlight: () => inFlight,
    answer: (...answers) => {
      const left = [...answers];
      next = () => (left.length > 1 ? left.shift() : left[0]);
    },
    answerEach: (answer) => {
      next = answer;
    },
    hold() {
      const closed = Promise.withResolvers<void>();
      gate = closed;
      return () => {
        if (gate === closed) gate = null;
        closed.resolve();
      };
    },
    close: () =>
      new Promise((resolve) => {
        gate?.resolve();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function send(response: ServerResponse, { status = 200, events, isCut = false }: VendorAnswer): void {
  response.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' });
  for (const one of events)
    response.write(typeof one === 'string' ? one : `data: ${JSON.stringify(one)}\n\n`, () => undefined);
  if (isCut) response.socket?.destroySoon();
  else response.end(status === 200 ? 'data: [DONE]\n\n' : undefined);
}
