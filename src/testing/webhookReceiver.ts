/** A receiver of outgoing webhooks: it records what reaches it, and answers as it is told. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export const WEBHOOK_SECRET = `whsec_${Buffer.from('a receiver knows this secret too').toString('base64')}`;

const envelope = z.strictObject({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.record(z.string(), z.unknown()),
});

export interface ReceivedDelivery extends z.output<typeof envelope> {
  readonly id: string;
  readonly path: string;
  /** Whether the signature is that of the secret over id, time and body. */
  readonly isSigned: boolean;
}

interface Answer {
  /** By default 204. `never`: the request stays open. `lost`: the connection is cut after the request was received. */
  readonly status: number | 'never' | 'lost';
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedDelivery[];
  /** Give these answers to the next requests, in this order. */
  answerNext(...answers: readonly Answer[]): void;
  close(): Promise<void>;
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedDelivery[] = [];
  const answers: Answer[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const header = (name: string): string => String(request.headers[name]);
    const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.${body}`;
    const key = Buffer.from(WEBHOOK_SECRET.slice('whsec_'.length), 'base64');
    received.push({
      ...envelope.parse(JSON.parse(body)),
      id: header('webhook-id'),
      path: request.url ?? '',
      isSigned:
        header('webhook-signature') === `v1,${createHmac('sha256', key).update(signed).digest('base64')}` &&
        Math.abs(Date.now() / 1000 - Number(header('webhook-timestamp'))) < 60,
    });
    const { status, headers = {} } = answers.shift() ?? { status: 204 };
    if (status === 'lost') request.socket.destroy();
    else if (status !== 'never') response.writeHead(status, headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    answerNext: (...next) => void answers.push(...next),
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
