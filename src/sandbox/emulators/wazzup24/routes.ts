/** Wazzup24's API v3 as its customers see it, under `/wazzup24/v3` (fact sheet, section 9). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bearerToken } from '../bearerToken.ts';
import { type CallFaults, createCallFaults } from '../callFaults.ts';
import { type AccountView, type Fault, subscriptionsSchema } from '../contract.ts';
import type { FaultOccasion } from '../faults.ts';
import { rateLimiter, request as send } from '../http.ts';
import type { World } from '../world.ts';
import { type Refusal, refusal } from './items.ts';
import { type Accepted, checkKey, checkSend, deliver, readSend, type SendBody } from './send.ts';

type Route = 'message' | 'channels' | 'webhooks';

interface Api {
  readonly world: World;
  readonly callFaults: CallFaults;
  readonly isWithinRate: (key: string) => boolean;
}

/** A call, before its key is known. */
interface Call {
  readonly api: Api;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: Route | 'other';
  /** The message of a send, if it could be read. */
  readonly body?: SendBody | undefined;
}

export function wazzup24Routes(app: FastifyInstance, world: World): void {
  const api: Api = {
    world,
    callFaults: createCallFaults(world, {
      name: 'wazzup24',
      malformed: '{"messageId": <html>\u0000',
      firstStatus: 'sent',
      serverError: (fault) => serverError(fault).body,
    }),
    isWithinRate: rateLimiter(() => world.state.settings.rateLimit),
  };

  app.get('/wazzup24/v3/channels', async (request, reply) => {
    const account = await authorize({ api, request, reply, route: 'channels' });
    return account === undefined ? reply : account.channels;
  });
  app.post('/wazzup24/v3/message', (request, reply) => sendMessage(api, request, reply));
  app.get('/wazzup24/v3/webhooks', async (request, reply) => {
    const account = await authorize({ api, request, reply, route: 'webhooks' });
    if (account === undefined) return reply;
    return { webhooksUri: account.webhooksUri ?? '', subscriptions: account.subscriptions };
  });
  app.patch('/wazzup24/v3/webhooks', (request, reply) => subscribe(api, request, reply));
  app.all('/wazzup24/*', async (request, reply) => {
    if (authenticate({ api, request, reply, route: 'other' }) === undefined) return reply;
    return reply.code(404).send({ error: 'NOT_FOUND', description: 'There is no such route' });
  });
}

const keyOf = ({ request }: Call): string => bearerToken(request) ?? '';

function authenticate(call: Call): AccountView | undefined {
  const account = call.api.world.state.accounts.get(keyOf(call));
  if (account !== undefined) return account;
  refuse(call, problem(401, 'UNAUTHORIZED', 'The API key is missing or wrong'));
  return undefined;
}

/** Check the key, the rate limit and the faults that apply before any work; undefined if the reply has been sent. */
async function authorize(call: Call): Promise<AccountView | undefined> {
  const { api, reply } = call;
  const account = authenticate(call);
  if (account === undefined) return undefined;
  const refused = api.isWithinRate(account.key) ? api.callFaults.refusal(occasionOf(call)) : TOO_FAST;
  if (refused === null) return (await api.callFaults.before(reply, occasionOf(call))) ? undefined : account;
  const { status, fault } = refused;
  if (fault?.retryAfterSeconds !== undefined) void reply.header('retry-after', String(fault.retryAfterSeconds));
  refuse(call, status === 429 ? TOO_MANY : serverError(fault));
  return undefined;
}

async function sendMessage(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { state, faults } = api.world;
  const body = readSend(request.body);
  const call: Call = { api, request, reply, route: 'message', body: isRefusal(body) ? undefined : body };
  const account = await authorize(call);
  if (account === undefined) return reply;
  const checked = isRefusal(body) ? body : checkSend(state, account.key, body);
  if (isRefusal(checked)) return refuse(call, checked);
  const repeated = checkKey(state, account.key, checked.body.crmMessageId);
  if (repeated !== undefined) return refuse(call, repeated);
  const accepted = { ...occasionOf(call), to: checked.to };
  const refusing = faults.take('wazzup24.refuse', accepted);
  if (refusing !== undefined) return refuse(call, toRefusal(refusing, checked));
  const messageId = deliver(api.world, checked, faults.take('wazzup24.fail_later', accepted));
  if (await api.callFaults.after(reply, accepted, messageId)) return reply;
  return reply.code(201).send({ messageId, chatId: checked.chatId });
}

const subscribeSchema = z.object({
  webhooksUri: z.string().optional(),
  subscriptions: z
    .record(z.string(), z.union([z.boolean(), z.enum(['true', 'false']).transform((flag) => flag === 'true')]))
    .optional(),
});

async function subscribe(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const account = await authorize({ api, request, reply, route: 'webhooks' });
  if (account === undefined) return reply;
  const body = subscribeSchema.safeParse(request.body);
  const uri = body.success ? (body.data.webhooksUri ?? account.webhooksUri) : null;
  if (!body.success || uri === null || uri.length > 200 || !URL.canParse(uri)) {
    const description = 'webhooksUri must be an address of at most 200 characters';
    return reply.code(400).send({ error: 'uriNotValid', description });
  }
  const headers = { 'content-type': 'application/json; charset-utf-8' };
  const test = { method: 'POST', headers, body: '{"test":true}' };
  const { status } = await send(uri, test, api.world.state.settings.hooks.timeoutMs);
  if (status !== 200) {
    const description = 'URI does not return 200 OK on test request';
    return reply.code(400).send({ error: 'testPostNotPassed', description, data: { status } });
  }
  const subscriptions = subscriptionsSchema.parse({ ...account.subscriptions, ...body.data.subscriptions });
  api.world.journal.append({ kind: 'webhooks', account: account.key, webhooksUri: uri, subscriptions });
  return reply.code(200).send({ ok: true });
}

function refuse(call: Call, { status, code, body }: Refusal): FastifyReply {
  const { api, reply, route } = call;
  const what = { account: keyOf(call), route, status, code, crmMessageId: call.body?.crmMessageId };
  api.world.journal.append({ kind: 'refused', vendor: 'wazzup24', ...what });
  return reply.code(status).send(body);
}

function occasionOf(call: Call): FaultOccasion {
  const { route, body } = call;
  const to = body?.chatId ?? body?.phone ?? body?.username;
  return { account: keyOf(call), route, channelId: body?.channelId, to, text: body?.text };
}

function toRefusal(fault: Fault, { channel: { channelId } }: Accepted): Refusal {
  const code = fault.code ?? 'BAD_CONTACT';
  return refusal(code, fault.description ?? `The vendor answered ${code}`, { channelId }, fault.status ?? 400);
}

const TOO_FAST: { readonly status: number; readonly fault?: Fault } = { status: 429 };
const problem = (status: number, code: string, description: string): Refusal => {
  return { status, code, body: { error: code, description } };
};
const TOO_MANY = problem(429, 'TOO_MANY_REQUESTS', 'Too many requests');
const serverError = ({ status = 500, code = 'UNKNOWN_ERROR', description = 'Internal error' }: Partial<Fault> = {}) =>
  problem(status, code, description);
const isRefusal = (value: object): value is Refusal => 'code' in value && 'status' in value;
