/**
 * The baseline of our socket, and the upstream that both relay. With `UPSTREAM` it is a bare proxy: a `ws` server that
 * requests the upstream and passes each piece on, without session, prompt, run or timeout. Without `UPSTREAM` it is the
 * upstream itself: OpenAI's stream format at the requested speed. Each runs as a process of its own.
 */
import { createServer, request, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { z } from 'zod';

const env = z.object({ UPSTREAM: z.string().optional(), PORT: z.coerce.number() }).parse(process.env);

const requestSchema = z.object({ messages: z.array(z.object({ content: z.unknown().transform(String) })) });
/** The last message gives the number of tokens and the milliseconds between them: `100 5`. Any other gets two at once. */
const RATE = /^(\d+) (\d+)$/;

const piece = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o-mini',
    system_fingerprint: 'bench',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })}\n\n`;
const TOKEN = piece({ content: ' token' });
const END = `${piece({}, 'stop')}data: [DONE]\n\n`;

async function streamTokens(response: ServerResponse, body: string): Promise<void> {
  const { messages } = requestSchema.parse(JSON.parse(body));
  const [, tokens = 2, everyMs = 0] = RATE.exec(messages.at(-1)?.content ?? '')?.map(Number) ?? [];
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  for (let token = 0; token < tokens; token++) {
    if (everyMs > 0) await pause(everyMs);
    response.write(TOKEN);
  }
  response.end(END);
}

const server = createServer((incoming, response) => {
  if (incoming.method !== 'POST') return response.end('ok');
  let body = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (part: string) => {
    body += part;
  });
  incoming.on('end', () => void streamTokens(response, body).catch(() => response.destroy()));
  return undefined;
}).listen(env.PORT, '127.0.0.1');

const questionSchema = z.object({ content: z.string() });
const chunk = z.object({ choices: z.tuple([z.object({ delta: z.object({ content: z.string().optional() }) })]) });

if (env.UPSTREAM !== undefined) {
  const address = `${env.UPSTREAM}/chat/completions`;
  new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (socket) => {
    socket.on('message', (data) => {
      const { content } = questionSchema.parse(JSON.parse(String(data)));
      const outgoing = request(
        address,
        { method: 'POST', headers: { 'content-type': 'application/json' } },
        (answer) => {
          createInterface({ input: answer }).on('line', (line) => {
            if (line === 'data: [DONE]') return socket.send('{"content":"","is_error":false,"is_finished":true}');
            if (!line.startsWith('data: ')) return undefined;
            const text = chunk.parse(JSON.parse(line.slice(6))).choices[0].delta.content;
            if (text !== undefined) socket.send(JSON.stringify({ content: text, is_error: false, is_finished: false }));
            return undefined;
          });
        },
      );
      outgoing.end(JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content }] }));
    });
  });
}
