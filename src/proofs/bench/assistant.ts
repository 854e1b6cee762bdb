/**
 * The assistant's time to first token through the socket, with all the work before it, compared with the model's own.
 */
import { createServer } from 'node:http';
import { openAssistantSocket, PAGE } from '../../testing/assistantSocket.ts';
import { freePort } from '../../testing/world.ts';
import { openEnvironment } from './environment.ts';

export interface FirstToken {
  readonly postgres: string;
  /** Milliseconds from the question to the first piece of the answer, one value per round. */
  readonly ours: readonly number[];
  readonly vendors: readonly number[];
}

const piece = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })}\n\n`;

/** Start a model that answers at once in two words, so that all additional time is ours. */
async function startModel(): Promise<{ url: string; stop: () => void }> {
  const port = await freePort();
  const server = createServer((incoming, response) => {
    incoming.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(piece({ content: 'Good' }));
      response.end(`${piece({ content: ' day' })}${piece({}, 'stop')}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

/** Ask the model directly and through the assistant in turns, one request at a time. */
export async function measureFirstToken(rounds: number): Promise<FirstToken> {
  const environment = await openEnvironment();
  const model = await startModel();
  try {
    const { world, operator } = environment;
    await environment.serve({});
    await environment.pool.query('update company_llms set config = $1', [{ base_url: model.url }]);
    const connection = await openAssistantSocket(world, operator);
    const ours: number[] = [];
    const vendors: number[] = [];
    // The first rounds open connections and compile code.
    for (let round = -5; round < rounds; round++) {
      const vendor = await firstPiece(`${model.url}/chat/completions`);
      const startedAt = performance.now();
      connection.send({ content: 'Good day', ...PAGE });
      const first = await connection.next();
      const own = performance.now() - startedAt;
      if (first.is_error) throw new Error(first.content.message);
      await connection.receiveUntilLast();
      connection.send({ clear: true });
      await connection.next();
      if (round < 0) continue;
      ours.push(own);
      vendors.push(vendor);
    }
    await connection.close();
    return { postgres: environment.postgres, ours, vendors };
  } finally {
    model.stop();
    await environment.close();
  }
}

/** Return the milliseconds until the model's first piece, asked directly. */
async function firstPiece(url: string): Promise<number> {
  const startedAt = performance.now();
  const body = JSON.stringify({
    model: 'gpt-4o-mini',
    stream: true,
    messages: [{ role: 'user', content: 'Good day' }],
  });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const reader = answer.body?.getReader();
  await reader?.read();
  const durationMs = performance.now() - startedAt;
  while (reader && !(await reader.read()).done);
  return durationMs;
}
