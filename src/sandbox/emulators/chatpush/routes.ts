/** ChatPush's API v1 as its customers see it, under `/chatpush/api/v1` (fact sheet, section 10). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bearerToken } from '../bearerToken.ts';
import { type CallFaults, createCallFaults } from '../callFaults.ts';
import type { PhoneMessage } from '../contract.ts';
import type { FaultOccasion } from '../faults.ts';
import type { World } from '../world.ts';
import type { ChatpushView } from './contract.ts';
import { paramsOf } from './params.ts';
import { checkSend, deliver, type FieldErrors } from './send.ts';
import { statusIdOf } from './webhooks.ts';

const BASE = '/chatpush/api/v1';
const success = { code: 200, status: 'success' } as const;
const idOf = (request: FastifyRequest): string => z.object({ id: z.string() }).parse(request.params).id;

type Route = 'message' | 'channels' | 'webhooks' | 'fate' | 'other';

interface Api {
  readonly world: World;
  readonly callFaults: CallFaults;
}

/** A call whose token is known. */
interface Call {
  readonly api: Api;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly account: ChatpushView;
  readonly route: Route;
}

export function chatpushRoutes(app: FastifyInstance, world: World): void {
  const callFaults = createCallFaults(world, {
    name: 'chatpush',
    malformed: '{"meta": <html>\u0000',
    firstStatus: 'delivered',
    serverError: () => 'Internal error',
  });
  const api: Api = { world, callFaults };
  const add = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    route: Route,
    answer: (call: Call) => FastifyReply | Promise<FastifyReply>,
  ) =>
    app.route({
      method,
      url: BASE + path,
      handler: async (request, reply) => {
        const call = await authorize({ api, request, reply, route });
        return call === undefined ? reply : answer(call);
      },
    });

  add('GET', '/account', 'channels', ({ reply, account }) =>
    reply.send({ meta: success, account: accountView(account) }),
  );
  add('POST', '/delivery', 'message', send);
  add('GET', '/delivery/:id', 'fate', readDelivery);
  add('GET', '/webhooks', 'webhooks', ({ reply, account }) =>
    reply.send({ meta: success, webhooks: account.webhooks }),
  );
  add('POST', '/webhooks', 'webhooks', (call) => putWebhook(call));
  const addWebhook = (method: 'GET' | 'PUT' | 'DELETE', answer: (call: Call, webhook: Webhook) => FastifyReply) =>
    add(method, '/webhooks/:id', 'webhooks', (call) => {
      const webhook = call.account.webhooks.find(({ id }) => String(id) === idOf(call.request));
      return webhook === undefined ? missing(call) : answer(call, webhook);
    });
  addWebhook('GET', ({ reply }, webhook) => reply.send({ meta: success, webhook }));
  addWebhook('PUT', putWebhook);
  addWebhook('DELETE', ({ reply, account: { token } }, { id }) => {
    world.journal.append({ kind: 'chatpush_webhook', token, id, webhook: null });
    return reply.send({ meta: success });
  });
  app.all('/chatpush/*', async (request, reply) => {
    const call = authenticate({ api, request, reply, route: 'other' });
    return call === undefined ? reply : missing(call);
  });
}

/** Return the call of a known token; otherwise answer 401. */
function authenticate(call: Omit<Call, 'account'>): Call | undefined {
  const { api, request, reply, route } = call;
  const token = bearerToken(request) ?? '';
  const account = api.world.state.chatpush.get(token);
  if (account !== undefined) return { ...call, account };
  const code = 'Not authorized!';
  api.world.journal.append({ kind: 'refused', vendor: 'chatpush', account: token, route, status: 401, code });
  void reply.code(401).send({ meta: { status: 'fail', message: code, code: 401 } });
  return undefined;
}

/** Check the token and the faults that apply before any work; undefined if the reply has been sent. */
async function authorize(unknown: Omit<Call, 'account'>): Promise<Call | undefined> {
  const call = authenticate(unknown);
  if (call === undefined) return undefined;
  const { api, reply } = call;
  const occasion = occasionOf(call);
  const refusal = api.callFaults.refusal(occasion);
  if (refusal === null) return (await api.callFaults.before(reply, occasion)) ? undefined : call;
  const { status, fault } = refusal;
  if (fault.retryAfterSeconds !== undefined) void reply.header('retry-after', String(fault.retryAfterSeconds));
  if (status === 429) refuse(call, status, 'Too many requests');
  else {
    record(call, status, 'Internal error');
    void reply.code(status).send('Internal error');
  }
  return undefined;
}

function occasionOf({ request, account, route }: Call): FaultOccasion {
  if (route !== 'message') return { account: account.token, route };
  const params = paramsOf(request);
  const to = params.one('phone') ?? params.one('username') ?? params.one('tdlib_user_id');
  return { account: account.token, route, to, text: params.one('text') };
}

async function send(call: Call): Promise<FastifyReply> {
  const { api, request, reply, account } = call;
  const { state, faults } = api.world;
  const checked = checkSend(state, account, paramsOf(request));
  if ('wrong' in checked) return refuse(call, 422, 'Validation failed', checked.wrong);
  const { channelId } = checked.channel;
  const occasion = { account: account.token, route: 'message', channelId, to: checked.to, text: checked.text };
  const refusing = faults.take('chatpush.refuse', occasion);
  if (refusing !== undefined) {
    const wrong = { [refusing.code ?? 'phone']: [refusing.description ?? 'is invalid'] };
    return refuse(call, refusing.status ?? 422, 'Validation failed', wrong);
  }
  const id = deliver(api.world, checked, faults.take('chatpush.fail_later', occasion));
  if (await api.callFaults.after(reply, occasion, id)) return reply;
  return reply.code(200).send({ meta: success, delivery: deliveryView(id, state.messages.get(id)?.message) });
}

function readDelivery(call: Call): FastifyReply {
  const { api, request, reply, account } = call;
  const message = api.world.state.messages.get(idOf(request))?.message;
  if (message === undefined || message.account !== account.token) return missing(call);
  const status = message.status === 'accepted' ? 'sent' : message.status;
  api.world.journal.append({ kind: 'fate_told', messageId: message.messageId, status });
  return reply.send({ meta: success, delivery: deliveryStatusView(message) });
}

type Webhook = ChatpushView['webhooks'][number];

function putWebhook(call: Call, existing?: Webhook): FastifyReply {
  const { api, request, reply, account } = call;
  const params = paramsOf(request);
  const url = params.one('url') ?? existing?.url ?? '';
  if (!URL.canParse(url)) return refuse(call, 422, 'Validation failed', { url: ['is invalid'] });
  const types = params.all('types').length > 0 ? params.all('types') : (existing?.types ?? []);
  const webhook = { id: existing?.id ?? api.world.state.chatpushWebhooks + 1, url, types };
  api.world.journal.append({ kind: 'chatpush_webhook', token: account.token, id: webhook.id, webhook: { url, types } });
  return reply.code(200).send({ meta: success, webhook });
}

const missing = (call: Call): FastifyReply => refuse(call, 404, 'Not found');

function refuse(call: Call, status: number, message: string, errors: FieldErrors = {}): FastifyReply {
  const { api, reply, account, route } = call;
  record(call, status, Object.keys(errors)[0] ?? message);
  const isQuiet = api.world.faults.take('chatpush.fail_as_200', { account: account.token, route }) !== undefined;
  // Both statuses are in use.
  const meta = { code: status, status: isQuiet ? 'failed' : 'fail', message, errors };
  return reply.code(isQuiet ? 200 : status).send({ meta });
}

function record({ api, account, route }: Call, status: number, code: string): void {
  api.world.journal.append({ kind: 'refused', vendor: 'chatpush', account: account.token, route, status, code });
}

function accountView(account: ChatpushView): object {
  const { customerId, token, whatsapp, tdlib, bot, subscription } = account;
  return {
    customer_id: customerId,
    token,
    total_amount: '100.00',
    dispatch_routing: [
      ...(tdlib === null ? [] : ['tdlib']),
      ...(whatsapp === null ? [] : ['whatsapp']),
      ...(bot ? ['telegram'] : []),
    ],
    sender_names: [],
    subscription_status: subscription,
    subscription_paid_until: '2099-12-01',
    subscription_cost: '10.00',
    ...(whatsapp === null ? {} : { whatsapp_session: whatsapp }),
    ...(tdlib === null ? {} : { tdlib_session: tdlib }),
  };
}

function deliveryView(id: string, message: PhoneMessage | undefined): object {
  return {
    id: Number(id),
    phone: `+${message?.chatId ?? ''}`,
    dispatch_routing: [message?.channelId.split(':')[1]],
    status_id: 6,
    status_description: 'Accepted',
    simulate_typing: true,
    total_sms: 1,
    external_id: message?.crmMessageId ?? null,
    callback_url: message?.callbackUrl ?? null,
    sum: '0.00',
  };
}

/** Build the status, which is nested here, unlike in the answer to a send. */
function deliveryStatusView(message: PhoneMessage): object {
  const status_id = statusIdOf(message.status, message.error);
  return {
    id: Number(message.messageId),
    phone: `+${message.chatId}`,
    status: { status_id, status_description: `Status ${status_id}` },
    operator: null,
    external_id: message.crmMessageId ?? null,
  };
}
