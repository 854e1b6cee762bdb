/** ChatPush's API v1 as its customers see it, under `/chatpush/api/v1` (fact sheet, section 10). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bearerToken } from '../bearerToken.ts';
import type { Fault, FaultKind, PhoneMessage } from '../contract.ts';
import type { FaultOccasion } from '../faults.ts';
import type { World } from '../world.ts';
import type { ChatpushView } from './contract.ts';
import { paramsOf } from './params.ts';
import { checkSend, deliver, earlierOf, type FieldErrors } from './send.ts';
import { statusIdOf } from './webhooks.ts';

const BASE = '/chatpush/api/v1';
const success = { code: 200, status: 'success' } as const;
const idParams = z.object({ id: z.string() });

export function chatpushRoutes(app: FastifyInstance, world: World): void {
  const { state, faults } = world;

  app.get(`${BASE}/account`, async (request, reply) => {
    const account = await authorize(request, reply, 'channels');
    return account === undefined ? reply : { meta: success, account: accountView(account) };
  });

  app.post(`${BASE}/delivery`, (request, reply) => send(request, reply));
  app.get(`${BASE}/delivery/:id`, async (request, reply) => {
    const account = await authorize(request, reply, 'fate');
    if (account === undefined) return reply;
    const message = state.messages.get(idParams.parse(request.params).id)?.message;
    if (message === undefined || message.account !== account.token) return missing(reply, account, 'fate');
    const status = message.status === 'accepted' ? 'sent' : message.status;
    world.journal.append({ kind: 'fate_told', messageId: message.messageId, status });
    return { meta: success, delivery: deliveryStatusView(message) };
  });

  app.get(`${BASE}/webhooks`, async (request, reply) => {
    const account = await authorize(request, reply, 'webhooks');
    return account === undefined ? reply : { meta: success, webhooks: account.webhooks };
  });
  app.post(`${BASE}/webhooks`, async (request, reply) => subscribe(request, reply, null));
  app.get(`${BASE}/webhooks/:id`, async (request, reply) => {
    const account = await authorize(request, reply, 'webhooks');
    if (account === undefined) return reply;
    const webhook = account.webhooks.find(({ id }) => String(id) === idParams.parse(request.params).id);
    return webhook === undefined ? missing(reply, account, 'webhooks') : { meta: success, webhook };
  });
  app.put(`${BASE}/webhooks/:id`, async (request, reply) =>
    subscribe(request, reply, idParams.parse(request.params).id),
  );
  app.delete(`${BASE}/webhooks/:id`, async (request, reply) => {
    const account = await authorize(request, reply, 'webhooks');
    if (account === undefined) return reply;
    const existing = account.webhooks.find(({ id }) => String(id) === idParams.parse(request.params).id);
    if (existing === undefined) return missing(reply, account, 'webhooks');
    world.journal.append({ kind: 'chatpush_webhook', token: account.token, id: existing.id, webhook: null });
    return { meta: success };
  });

  app.all('/chatpush/*', async (request, reply) => {
    const account = authenticate(request, reply, 'other');
    return account === undefined ? reply : missing(reply, account, 'other');
  });

  function authenticate(request: FastifyRequest, reply: FastifyReply, route: string): ChatpushView | undefined {
    const token = bearerToken(request);
    const account = token === undefined ? undefined : state.chatpush.get(token);
    if (account !== undefined) return account;
    refused(token ?? '', route, 401, 'Not authorized!');
    void reply.code(401).send({ meta: { status: 'fail', message: 'Not authorized!', code: 401 } });
    return undefined;
  }

  /** Check the token and the faults that apply before any work; undefined if the reply has been sent. */
  async function authorize(
    request: FastifyRequest,
    reply: FastifyReply,
    route: 'message' | 'channels' | 'webhooks' | 'fate',
    details: FaultOccasion = {},
  ): Promise<ChatpushView | undefined> {
    const account = authenticate(request, reply, route);
    if (account === undefined) return undefined;
    const occasion = { ...details, account: account.token, route };
    const limited = faults.take('chatpush.rate_limited', occasion);
    if (limited !== undefined) {
      if (limited.retryAfterSeconds !== undefined) void reply.header('retry-after', String(limited.retryAfterSeconds));
      refuse(reply, account, route, 429, 'Too many requests', {});
      return undefined;
    }
    const failing = faults.take('chatpush.fail_before', occasion);
    if (failing !== undefined) {
      refused(account.token, route, failing.status ?? 500, 'Internal error');
      void reply.code(failing.status ?? 500).send('Internal error');
      return undefined;
    }
    const delay = take('chatpush.delay', occasion, false);
    if (delay !== undefined) await world.timers.pause(delay.ms ?? 1_000);
    return strike(reply, occasion, false) ? undefined : account;
  }

  async function send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const params = paramsOf(request);
    const to = params.one('phone') ?? params.one('username') ?? params.one('tdlib_user_id');
    const account = await authorize(request, reply, 'message', { to, text: params.one('text') });
    if (account === undefined) return reply;
    const checked = checkSend(state, account, params);
    if ('wrong' in checked) return refuse(reply, account, 'message', 422, 'Validation failed', checked.wrong);
    const { channelId } = checked.channel;
    const occasion = { account: account.token, route: 'message', channelId, to: checked.to, text: checked.text };
    const refusing = faults.take('chatpush.refuse', occasion);
    if (refusing !== undefined) {
      const wrong = { [refusing.code ?? 'phone']: [refusing.description ?? 'is invalid'] };
      return refuse(reply, account, 'message', refusing.status ?? 422, 'Validation failed', wrong);
    }
    const earlier = earlierOf(state, account.token, checked.externalId);
    const same = earlier !== undefined && faults.take('chatpush.same_for_key', occasion) !== undefined;
    const id = same ? earlier.messageId : deliver(world, checked, faults.take('chatpush.fail_later', occasion));
    return answer(reply, id, occasion);
  }

  async function answer(reply: FastifyReply, id: string, occasion: FaultOccasion): Promise<FastifyReply> {
    if (faults.take('chatpush.status_first', occasion) !== undefined) {
      const hookId = world.receipts.record(id, { status: 'delivered' });
      if (hookId !== undefined) await world.hooks.firstAnswer(hookId, 2_000);
    }
    if (faults.take('chatpush.lose_answer', occasion) !== undefined) {
      reply.hijack();
      reply.raw.socket?.destroy();
      return reply;
    }
    const failing = faults.take('chatpush.fail_after', occasion);
    if (failing !== undefined) return reply.code(failing.status ?? 500).send('Internal error');
    const delay = take('chatpush.delay', occasion, true);
    if (delay !== undefined) await world.timers.pause(delay.ms ?? 1_000);
    if (strike(reply, occasion, true)) return reply;
    return reply.code(200).send({ meta: success, delivery: deliveryView(id) });
  }

  function deliveryView(id: string): object {
    const message = state.messages.get(id)?.message;
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

  async function subscribe(request: FastifyRequest, reply: FastifyReply, id: string | null): Promise<FastifyReply> {
    const account = await authorize(request, reply, 'webhooks');
    if (account === undefined) return reply;
    const existing = account.webhooks.find((one) => String(one.id) === id);
    if (id !== null && existing === undefined) return missing(reply, account, 'webhooks');
    const params = paramsOf(request);
    const url = params.one('url') ?? existing?.url ?? '';
    if (!URL.canParse(url))
      return refuse(reply, account, 'webhooks', 422, 'Validation failed', { url: ['is invalid'] });
    const types = params.all('types').length > 0 ? params.all('types') : (existing?.types ?? []);
    const webhook = { id: existing?.id ?? state.chatpushWebhooks + 1, url, types };
    world.journal.append({ kind: 'chatpush_webhook', token: account.token, id: webhook.id, webhook: { url, types } });
    return reply.code(200).send({ meta: success, webhook });
  }

  function take(kind: FaultKind, occasion: FaultOccasion, after: boolean): Fault | undefined {
    return faults.take(kind, occasion, (fault) => (fault.after ?? false) === after);
  }

  /** Apply the faults that leave the caller without a usable answer. Returns true if one applied. */
  function strike(reply: FastifyReply, occasion: FaultOccasion, after: boolean): boolean {
    if (take('chatpush.hang', occasion, after) !== undefined) {
      reply.hijack();
      return true;
    }
    if (take('chatpush.rubbish', occasion, after) === undefined) return false;
    void reply.code(200).type('application/json').send('{"meta": <html>\u0000');
    return true;
  }

  function missing(reply: FastifyReply, account: ChatpushView, route: string): FastifyReply {
    return refuse(reply, account, route, 404, 'Not found', {});
  }

  function refuse(
    reply: FastifyReply,
    account: ChatpushView,
    route: string,
    status: number,
    message: string,
    errors: FieldErrors,
  ): FastifyReply {
    refused(account.token, route, status, Object.keys(errors)[0] ?? message);
    const quietly = faults.take('chatpush.fail_as_200', { account: account.token, route }) !== undefined;
    // Both statuses are in use.
    const meta = { code: status, status: quietly ? 'failed' : 'fail', message, errors };
    return reply.code(quietly ? 200 : status).send({ meta });
  }

  function refused(account: string, route: string, status: number, code: string): void {
    world.journal.append({ kind: 'refused', vendor: 'chatpush', account, route, status, code });
  }
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
