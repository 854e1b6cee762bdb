/** Wazzup24's API v3 as its customers see it, under `/wazzup24/v3` (fact sheet, section 9). */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { type AccountView, type Fault, subscriptionsSchema } from '../contract.ts';
import { rateLimiter, request as send } from '../http.ts';
import { type Call, createMessengerCalls, occasionOf, type Refusal } from '../messengerCalls.ts';
import type { World } from '../world.ts';
import { refusal } from './items.ts';
import { checkKey, checkSend, deliver, readSend } from './send.ts';

interface Api {
  readonly world: World;
  readonly calls: ReturnType<typeof createMessengerCalls<AccountView>>;
}

const problem = (status: number, code: string, description: string): Refusal => {
  return { status, code, body: { error: code, description } };
};

export function wazzup24Routes(app: FastifyInstance, world: World): void {
  const calls = createMessengerCalls<AccountView>(world, {
    name: 'wazzup24',
    accountOf: (key) => world.state.accounts.get(key),
    isWithinRate: rateLimiter(() => world.state.settings.rateLimit),
    wrongKey: problem(401, 'UNAUTHORIZED', 'The API key is missing or wrong'),
    tooMany: problem(429, 'TOO_MANY_REQUESTS', 'Too many requests'),
    serverError: ({ status = 500, code = 'UNKNOWN_ERROR', description = 'Internal error' }) =>
      problem(status, code, description),
    malformed: '{"messageId": <html>\u0000',
    firstStatus: 'sent',
  });
  const api: Api = { world, calls };

  app.get('/wazzup24/v3/channels', async (request, reply) => {
    const account = await calls.authorize({ request, reply, route: 'channels' });
    return account === undefined ? reply : account.channels;
  });
  app.post('/wazzup24/v3/message', (request, reply) => sendMessage(api, { request, reply, route: 'message' }));
  app.get('/wazzup24/v3/webhooks', async (request, reply) => {
    const account = await calls.authorize({ request, reply, route: 'webhooks' });
    if (account === undefined) return reply;
    return { webhooksUri: account.webhooksUri ?? '', subscriptions: account.subscriptions };
  });
  app.patch('/wazzup24/v3/webhooks', (request, reply) => subscribe(api, { request, reply, route: 'webhooks' }));
  app.all('/wazzup24/*', async (request, reply) => {
    if (calls.authenticate({ request, reply, route: 'other' }) === undefined) return reply;
    return reply.code(404).send({ error: 'NOT_FOUND', description: 'There is no such route' });
  });
}

async function sendMessage({ world, calls }: Api, unread: Call): Promise<FastifyReply> {
  const { state, faults } = world;
  const { reply } = unread;
  const body = readSend(unread.request.body);
  const call = isRefusal(body)
    ? unread
    : { ...unread, message: { ...body, to: body.chatId ?? body.phone ?? body.username } };
  const account = await calls.authorize(call);
  if (account === undefined) return reply;
  const checked = isRefusal(body) ? body : checkSend(state, account.key, body);
  if (isRefusal(checked)) return calls.refuse(call, checked);
  const repeated = checkKey(state, account.key, checked.body.crmMessageId);
  if (repeated !== undefined) return calls.refuse(call, repeated);
  const occasion = { ...occasionOf(call), to: checked.to };
  const refusing = faults.take('wazzup24.refuse', occasion);
  if (refusing !== undefined) return calls.refuse(call, toRefusal(refusing, checked.channel.channelId));
  const messageId = deliver(world, checked, faults.take('wazzup24.fail_later', occasion));
  if (await calls.afterSend(reply, occasion, messageId)) return reply;
  return reply.code(201).send({ messageId, chatId: checked.chatId });
}

const subscribeSchema = z.object({
  webhooksUri: z.string().optional(),
  subscriptions: z
    .record(z.string(), z.union([z.boolean(), z.enum(['true', 'false']).transform((flag) => flag === 'true')]))
    .optional(),
});

async function subscribe({ world, calls }: Api, call: Call): Promise<FastifyReply> {
  const { request, reply } = call;
  const account = await calls.authorize(call);
  if (account === undefined) return reply;
  const body = subscribeSchema.safeParse(request.body);
  const uri = body.success ? (body.data.webhooksUri ?? account.webhooksUri) : null;
  if (!body.success || uri === null || uri.length > 200 || !URL.canParse(uri)) {
    const description = 'webhooksUri must be an address of at most 200 characters';
    return reply.code(400).send({ error: 'uriNotValid', description });
  }
  const headers = { 'content-type': 'application/json; charset-utf-8' };
  const test = { method: 'POST', headers, body: '{"test":true}' };
  const { status } = await send(uri, test, world.state.settings.hooks.timeoutMs);
  if (status !== 200) {
    const description = 'URI does not return 200 OK on test request';
    return reply.code(400).send({ error: 'testPostNotPassed', description, data: { status } });
  }
  const subscriptions = subscriptionsSchema.parse({ ...account.subscriptions, ...body.data.subscriptions });
  world.journal.append({ kind: 'webhooks', account: account.key, webhooksUri: uri, subscriptions });
  return reply.code(200).send({ ok: true });
}

function toRefusal({ code = 'BAD_CONTACT', description, status }: Fault, channelId: string): Refusal {
  return refusal(code, description ?? `The vendor answered ${code}`, { channelId }, status);
}

const isRefusal = (value: object): value is Refusal => 'code' in value && 'status' in value;
