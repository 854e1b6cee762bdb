/** Wazzup24's API v3 as its customers see it, under `/wazzup24/v3` (fact sheet, section 9). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bearerToken } from '../bearerToken.ts';
import { type CallFaults, createCallFaults } from '../callFaults.ts';
import type { AccountView, Fault, Subscriptions } from '../contract.ts';
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
    const account = await authorize(api, request, reply, { route: 'channels' });
    return account === undefined ? reply : account.channels;
  });
  app.post('/wazzup24/v3/message', (request, reply) => sendMessage(api, request, reply));
  app.get('/wazzup24/v3/webhooks', async (request, reply) => {
    const account = await authorize(api, request, reply, { route: 'webhooks' });
    if (account === undefined) return reply;
    return { webhooksUri: account.webhooksUri ?? '', subscriptions: account.subscriptions };
  });
  app.patch('/wazzup24/v3/webhooks', (request, reply) => subscribe(api, request, reply));
  app.all('/wazzup24/*', async (request, reply) => {
    if (authenticate(api, request, reply, 'other') === undefined) return reply;
    return reply.code(404).send({ error: 'NOT_FOUND', description: 'There is no such route' });
  });
}

function authenticate(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route | 'other',
): AccountView | undefined {
  const key = bearerToken(request) ?? '';
  const account = api.world.state.accounts.get(key);
  if (account !== undefined) return account;
  const body = { error: 'UNAUTHORIZED', description: 'The API key is missing or wrong' };
  refuse(api, reply, { account: key, route }, { status: 401, code: 'UNAUTHORIZED', body });
  return undefined;
}

/** Check the key, the rate limit and the faults that apply before any work; undefined if the reply has been sent. */
async function authorize(
  api: Api,
  request: FastifyRequest,
  reply: FastifyReply,
  call: { readonly route: Route; readonly body?: SendBody | undefined },
): Promise<AccountView | undefined> {
  const account = authenticate(api, request, reply, call.route);
  if (account === undefined) return undefined;
  const occasion = occasionOf(account.key, call);
  const refused = api.isWithinRate(account.key) ? api.callFaults.refusal(occasion) : TOO_FAST;
  if (refused !== null) {
    const { status, fault } = refused;
    if (fault?.retryAfterSeconds !== undefined) void reply.header('retry-after', String(fault.retryAfterSeconds));
    if (status === 429) refuse(api, reply, occasion, TOO_MANY);
    else refuse(api, reply, occasion, serverError(fault), call.body?.crmMessageId);
    return undefined;
  }
  return (await api.callFaults.before(reply, occasion)) ? undefined : account;
}

async function sendMessage(api: Api, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { state, faults } = api.world;
  const body = readSend(request.body);
  const read = isRefusal(body) ? undefined : body;
  const account = await authorize(api, request, reply, { route: 'message', body: read });
  if (account === undefined) return reply;
  const occasion = occasionOf(account.key, { route: 'message', body: read });
  const checked = isRefusal(body) ? body : checkSend(state, account.key, body);
  if (isRefusal(checked)) return refuse(api, reply, occasion, checked, read?.crmMessageId);
  const repeated = checkKey(state, account.key, checked.body.crmMessageId);
  if (repeated !== undefined) return refuse(api, reply, occasion, repeated, checked.body.crmMessageId);
  const accepted = { ...occasion, to: checked.to };
  const refusing = faults.take('wazzup24.refuse', accepted);
  if (refusing !== undefined)
    return refuse(api, reply, occasion, toRefusal(refusing, checked), checked.body.crmMessageId);
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
  const account = await authorize(api, request, reply, { route: 'webhooks' });
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
  const subscriptions = changed(account.subscriptions, body.data.subscriptions ?? {});
  api.world.journal.append({ kind: 'webhooks', account: account.key, webhooksUri: uri, subscriptions });
  return reply.code(200).send({ ok: true });
}

function refuse(
  { world }: Api,
  reply: FastifyReply,
  { account = '', route = '' }: FaultOccasion,
  { status, code, body }: Refusal,
  crmMessageId?: string,
): FastifyReply {
  world.journal.append({ kind: 'refused', vendor: 'wazzup24', account, route, status, code, crmMessageId });
  return reply.code(status).send(body);
}

/** Return the account's flags with the given ones replaced; the template's flag is accepted under either name. */
function changed(before: Subscriptions, flags: Record<string, boolean>): Subscriptions {
  return {
    messagesAndStatuses: flags.messagesAndStatuses ?? before.messagesAndStatuses,
    contactsAndDealsCreation: flags.contactsAndDealsCreation ?? before.contactsAndDealsCreation,
    channelsUpdates: flags.channelsUpdates ?? before.channelsUpdates,
    templateStatus: flags.templateStatus ?? flags.wabaTemplatesStatus ?? before.templateStatus,
  };
}

function occasionOf(account: string, { route, body }: { route: Route; body?: SendBody | undefined }): FaultOccasion {
  const to = body?.chatId ?? body?.phone ?? body?.username;
  return { account, route, channelId: body?.channelId, to, text: body?.text };
}

function toRefusal(fault: Fault, { channel: { channelId } }: Accepted): Refusal {
  const code = fault.code ?? 'BAD_CONTACT';
  return refusal(code, fault.description ?? `The vendor answered ${code}`, { channelId }, fault.status ?? 400);
}

const TOO_FAST: { readonly status: number; readonly fault?: Fault } = { status: 429 };
const TOO_MANY: Refusal = {
  status: 429,
  code: 'TOO_MANY_REQUESTS',
  body: { error: 'TOO_MANY_REQUESTS', description: 'Too many requests' },
};

function serverError(fault: Fault | undefined): Refusal {
  const code = fault?.code ?? 'UNKNOWN_ERROR';
  const body = { error: code, description: fault?.description ?? 'Internal error' };
  return { status: fault?.status ?? 500, code, body };
}

function isRefusal(value: object): value is Refusal {
  return 'code' in value && 'status' in value;
}
