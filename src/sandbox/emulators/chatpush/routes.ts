/** ChatPush's API v1 as its customers see it, under `/chatpush/api/v1` (fact sheet, section 10). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { PhoneMessage } from '../contract.ts';
import { createMessengerCalls, occasionOf, type Refusal, type Call as VendorCall } from '../messengerCalls.ts';
import type { World } from '../world.ts';
import type { ChatpushView } from './contract.ts';
import { paramsOf } from './params.ts';
import { checkSend, deliver, type FieldErrors } from './send.ts';
import { deliveryStatusView } from './webhooks.ts';

const BASE = '/chatpush/api/v1';
const success = { code: 200, status: 'success' } as const;
const idOf = (request: FastifyRequest): string => z.object({ id: z.string() }).parse(request.params).id;

type Route = 'message' | 'channels' | 'webhooks' | 'fate';

interface Api {
  readonly world: World;
  readonly calls: ReturnType<typeof createMessengerCalls<ChatpushView>>;
}

/** A call whose token is known. */
interface Call extends VendorCall {
  readonly api: Api;
  readonly account: ChatpushView;
}
type Answer = (call: Call) => FastifyReply | Promise<FastifyReply>;

export function chatpushRoutes(app: FastifyInstance, world: World): void {
  const wrongKey = 'Not authorized!';
  const calls = createMessengerCalls<ChatpushView>(world, {
    name: 'chatpush',
    accountOf: (token) => world.state.chatpush.get(token),
    isWithinRate: () => true,
    wrongKey: { status: 401, code: wrongKey, body: { meta: { status: 'fail', message: wrongKey, code: 401 } } },
    tooMany: refusalOf(429, 'Too many requests'),
    serverError: ({ status = 500 }) => ({ status, code: 'Internal error', body: 'Internal error' }),
    malformed: '{"meta": <html>\u0000',
    firstStatus: 'delivered',
  });
  const api: Api = { world, calls };
  const add = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, route: Route, answer: Answer) =>
    app.route({
      method,
      url: BASE + path,
      handler: async (request, reply) => {
        const call = { request, reply, route, ...(route === 'message' ? { message: messageOf(request) } : {}) };
        const account = await calls.authorize(call);
        return account === undefined ? reply : answer({ ...call, api, account });
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
      return webhook === undefined ? refuse(call, 404, 'Not found') : answer(call, webhook);
    });
  addWebhook('GET', ({ reply }, webhook) => reply.send({ meta: success, webhook }));
  addWebhook('PUT', putWebhook);
  addWebhook('DELETE', ({ reply, account: { token } }, { id }) => {
    world.journal.append({ kind: 'chatpush_webhook', token, id, webhook: null });
    return reply.send({ meta: success });
  });
  app.all('/chatpush/*', async (request, reply) => {
    const call = { request, reply, route: 'other' };
    return calls.authenticate(call) === undefined ? reply : calls.refuse(call, refusalOf(404, 'Not found'));
  });
}

function messageOf(request: FastifyRequest) {
  const params = paramsOf(request);
  const to = params.one('phone') ?? params.one('username') ?? params.one('tdlib_user_id');
  return { to, text: params.one('text') };
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
  if (await api.calls.afterSend(reply, occasion, id)) return reply;
  return reply.code(200).send({ meta: success, delivery: deliveryView(id, state.messages.get(id)?.message) });
}

function readDelivery(call: Call): FastifyReply {
  const { api, request, reply, account } = call;
  const message = api.world.state.messages.get(idOf(request))?.message;
  if (message === undefined || message.account !== account.token) return refuse(call, 404, 'Not found');
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

/** Build a refusal; both statuses are in use. */
const refusalOf = (status: number, message: string, errors: FieldErrors = {}, word = 'fail'): Refusal => {
  const meta = { code: status, status: word, message, errors };
  return { status, code: Object.keys(errors)[0] ?? message, body: { meta } };
};

function refuse(call: Call, status: number, message: string, errors?: FieldErrors): FastifyReply {
  const { world, calls } = call.api;
  const isQuiet = world.faults.take('chatpush.fail_as_200', occasionOf(call)) !== undefined;
  if (!isQuiet) return calls.refuse(call, refusalOf(status, message, errors));
  return calls.refuse(call, { ...refusalOf(status, message, errors, 'failed'), status: 200 });
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
