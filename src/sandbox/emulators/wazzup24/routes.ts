/** Wazzup24's API v3 as its customers see it, under `/wazzup24/v3` (fact sheet, section 9). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { bearerToken } from '../bearerToken.ts';
import { type AccountView, type Fault, type FaultKind, type Subscriptions } from '../contract.ts';
import type { FaultOccasion } from '../faults.ts';
import type { World } from '../world.ts';
import { type Refusal, refusal } from './items.ts';
import { type Accepted, checkKey, checkSend, deliver, readSend, type SendBody } from './send.ts';

type Route = 'message' | 'channels' | 'webhooks';

export function wazzup24Routes(app: FastifyInstance, world: World): void {
  const limit = rateLimit(world);

  app.get('/wazzup24/v3/channels', async (request, reply) => {
    const account = await authorize(request, reply, 'channels');
    return account === undefined ? reply : account.channels;
  });

  app.post('/wazzup24/v3/message', (request, reply) => send(request, reply));
  app.patch('/wazzup24/v3/message/:messageId', (request, reply) => amend(request, reply, 'edit'));
  app.delete('/wazzup24/v3/message/:messageId', (request, reply) => amend(request, reply, 'delete'));

  app.get('/wazzup24/v3/webhooks', async (request, reply) => {
    const account = await authorize(request, reply, 'webhooks');
    if (account === undefined) return reply;
    const { templateStatus, ...others } = account.subscriptions;
    const subscriptions = { ...others, [world.state.settings.templateFlag]: templateStatus };
    return { webhooksUri: account.webhooksUri ?? '', subscriptions };
  });
  app.patch('/wazzup24/v3/webhooks', (request, reply) => subscribe(request, reply));

  app.all('/wazzup24/*', async (request, reply) => {
    const account = authenticate(request, reply, 'other');
    if (account === undefined) return reply;
    if (account.sidecar) return reply.code(403).send({ error: 'FORBIDDEN' });
    return reply.code(404).send({ error: 'NOT_FOUND', description: 'There is no such route' });
  });

  function authenticate(request: FastifyRequest, reply: FastifyReply, route: string): AccountView | undefined {
    const key = bearerToken(request);
    const account = key === undefined ? undefined : world.state.accounts.get(key);
    if (account !== undefined) return account;
    refused(key ?? '', route, { status: 401, code: 'UNAUTHORIZED' });
    void reply.code(401).send({ error: 'UNAUTHORIZED', description: 'The API key is missing or wrong' });
    return undefined;
  }

  /** Check the key, the rate limit and the faults that apply before any work; undefined if the reply has been sent. */
  async function authorize(
    request: FastifyRequest,
    reply: FastifyReply,
    route: Route,
    body?: SendBody,
  ): Promise<AccountView | undefined> {
    const account = authenticate(request, reply, route);
    if (account === undefined) return undefined;
    if (!limit(account.key)) {
      answer(reply, account.key, route, tooMany());
      return undefined;
    }
    const occasion = occasionOf(account.key, route, body);
    const limited = world.faults.take('wazzup24.rate_limited', occasion);
    if (limited !== undefined) {
      if (limited.retryAfterSeconds !== undefined) void reply.header('retry-after', String(limited.retryAfterSeconds));
      answer(reply, account.key, route, tooMany());
      return undefined;
    }
    const failing = world.faults.take('wazzup24.fail_before', occasion);
    if (failing !== undefined) {
      answer(reply, account.key, route, serverError(failing), body?.crmMessageId);
      return undefined;
    }
    const delay = take('wazzup24.delay', occasion, false);
    if (delay !== undefined) await world.timers.pause(delay.ms ?? 1_000);
    return strike(reply, occasion, false) ? undefined : account;
  }

  async function send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const read = readSend(request.body);
    const account = await authorize(request, reply, 'message', isRefusal(read) ? undefined : read);
    if (account === undefined) return reply;
    if (isRefusal(read)) return answer(reply, account.key, 'message', read);
    const checked = checkSend(world.state, account.key, read);
    if (isRefusal(checked)) return answer(reply, account.key, 'message', checked, read.crmMessageId);
    const repeated = checkKey(world.state, account.key, read.crmMessageId);
    if (repeated !== undefined) return answer(reply, account.key, 'message', repeated, read.crmMessageId);
    const occasion = { ...occasionOf(account.key, 'message', read), to: checked.to };
    const refusing = world.faults.take('wazzup24.refuse', occasion);
    if (refusing !== undefined)
      return answer(reply, account.key, 'message', toRefusal(refusing, checked), read.crmMessageId);
    const messageId = deliver(world, checked, world.faults.take('wazzup24.fail_later', occasion));
    return answerAccepted(reply, checked, messageId, occasion);
  }

  async function answerAccepted(
    reply: FastifyReply,
    accepted: Accepted,
    messageId: string,
    occasion: FaultOccasion,
  ): Promise<FastifyReply> {
    if (world.faults.take('wazzup24.status_first', occasion) !== undefined) {
      const hookId = world.receipts.record(messageId, { status: 'sent' });
      if (hookId !== undefined) await world.hooks.firstAnswer(hookId, 2_000);
    }
    if (world.faults.take('wazzup24.lose_answer', occasion) !== undefined) return destroy(reply);
    const failing = world.faults.take('wazzup24.fail_after', occasion);
    if (failing !== undefined) {
      const { status, body } = serverError(failing);
      return reply.code(status).send(body);
    }
    const delay = take('wazzup24.delay', occasion, true);
    if (delay !== undefined) await world.timers.pause(delay.ms ?? 1_000);
    if (strike(reply, occasion, true)) return reply;
    return reply.code(201).send({ messageId, chatId: accepted.chatId });
  }

  async function amend(request: FastifyRequest, reply: FastifyReply, what: 'edit' | 'delete'): Promise<FastifyReply> {
    const account = await authorize(request, reply, 'message');
    if (account === undefined) return reply;
    const { messageId } = z.object({ messageId: z.string() }).parse(request.params);
    const existing = world.state.messages.get(messageId)?.message;
    if (existing === undefined || existing.account !== account.key || existing.author !== 'api') {
      return answer(reply, account.key, 'message', refusal('MESSAGES_NOT_FOUND', 'Message not found', { messageId }));
    }
    if (what === 'delete') {
      world.journal.append({ kind: 'deleted', messageId });
      return reply.code(200).send({});
    }
    const body = z.object({ text: z.string().min(1) }).safeParse(request.body);
    if (!body.success) {
      const wrong = refusal('INVALID_MESSAGE_DATA', 'The field text is missing or wrong', { fields: ['text'] });
      return answer(reply, account.key, 'message', wrong);
    }
    const status = { messageId, timestamp: world.clock.iso(), status: 'edited' };
    const drafts = world.hooks.enqueue(account.key, `${existing.channelId} ${existing.chatId}`, { statuses: [status] });
    world.journal.append({ kind: 'edited', messageId, text: body.data.text }, ...drafts);
    world.hooks.deliver(drafts);
    return reply.code(200).send({ messageId, chatId: existing.chatId });
  }

  async function subscribe(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const account = await authorize(request, reply, 'webhooks');
    if (account === undefined) return reply;
    const body = subscribeSchema.safeParse(request.body);
    const uri = body.success ? (body.data.webhooksUri ?? account.webhooksUri) : null;
    if (!body.success || uri === null || uri.length > 200 || !URL.canParse(uri)) {
      const description = 'webhooksUri must be an address of at most 200 characters';
      return reply.code(400).send({ error: 'uriNotValid', description });
    }
    const status = await postTest(uri, world.state.settings.hooks.timeoutMs);
    if (status !== 200) {
      const description = 'URI does not return 200 OK on test request';
      return reply.code(400).send({ error: 'testPostNotPassed', description, data: { status } });
    }
    const subscriptions = changed(account.subscriptions, body.data.subscriptions ?? {});
    world.journal.append({ kind: 'webhooks', account: account.key, webhooksUri: uri, subscriptions });
    return reply.code(200).send({ ok: true });
  }

  function take(kind: FaultKind, occasion: FaultOccasion, after: boolean): Fault | undefined {
    return world.faults.take(kind, occasion, (fault) => (fault.after ?? false) === after);
  }

  /** Apply the faults that leave the caller without a usable answer. Returns true if one applied. */
  function strike(reply: FastifyReply, occasion: FaultOccasion, after: boolean): boolean {
    if (take('wazzup24.hang', occasion, after) !== undefined) {
      reply.hijack();
      return true;
    }
    if (take('wazzup24.rubbish', occasion, after) === undefined) return false;
    void reply.code(200).type('application/json').send('{"messageId": <html>\u0000');
    return true;
  }

  function answer(
    reply: FastifyReply,
    account: string,
    route: string,
    refusing: Refusal,
    crmMessageId?: string,
  ): FastifyReply {
    refused(account, route, refusing, crmMessageId);
    return reply.code(refusing.status).send(refusing.body);
  }

  function refused(
    account: string,
    route: string,
    reason: { status: number; code: string },
    crmMessageId?: string,
  ): void {
    const { status, code } = reason;
    world.journal.append({ kind: 'refused', vendor: 'wazzup24', account, route, status, code, crmMessageId });
  }
}

const subscribeSchema = z.object({
  webhooksUri: z.string().optional(),
  subscriptions: z
    .record(z.string(), z.union([z.boolean(), z.enum(['true', 'false']).transform((flag) => flag === 'true')]))
    .optional(),
});

/** Return the account's flags with the given ones replaced; the template's flag is accepted under either name. */
function changed(before: Subscriptions, flags: Record<string, boolean>): Subscriptions {
  return {
    messagesAndStatuses: flags.messagesAndStatuses ?? before.messagesAndStatuses,
    contactsAndDealsCreation: flags.contactsAndDealsCreation ?? before.contactsAndDealsCreation,
    channelsUpdates: flags.channelsUpdates ?? before.channelsUpdates,
    templateStatus: flags.templateStatus ?? flags.wabaTemplatesStatus ?? before.templateStatus,
  };
}

/** Send the vendor's test of an address. Returns the status, or null without an answer. */
async function postTest(uri: string, timeoutMs: number): Promise<number | null> {
  try {
    const response = await fetch(uri, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset-utf-8' },
      body: '{"test":true}',
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

function occasionOf(account: string, route: Route, body: SendBody | undefined): FaultOccasion {
  const to = body?.chatId ?? body?.phone ?? body?.username;
  return { account, route, channelId: body?.channelId, to, text: body?.text };
}

function toRefusal(fault: Fault, accepted: Accepted): Refusal {
  const code = fault.code ?? 'BAD_CONTACT';
  const { channelId } = accepted.channel;
  return refusal(code, fault.description ?? `The vendor answered ${code}`, { channelId }, fault.status ?? 400);
}

function tooMany(): Refusal {
  return {
    status: 429,
    code: 'TOO_MANY_REQUESTS',
    body: { error: 'TOO_MANY_REQUESTS', description: 'Too many requests' },
  };
}

function serverError(fault: Fault): Refusal {
  const status = fault.status ?? 500;
  const code = fault.code ?? 'UNKNOWN_ERROR';
  return { status, code, body: { error: code, description: fault.description ?? 'Internal error' } };
}

function destroy(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.socket?.destroy();
  return reply;
}

function isRefusal(value: object): value is Refusal {
  return 'code' in value && 'status' in value;
}

/** Limit the requests per key in a sliding window of `perMs`, on the real clock. */
function rateLimit(world: World): (key: string) => boolean {
  const windows = new Map<string, number[]>();
  return (key) => {
    const { requests, perMs } = world.state.settings.rateLimit;
    const now = performance.now();
    const times = windows.get(key) ?? [];
    while (times[0] !== undefined && times[0] <= now - perMs) times.shift();
    windows.set(key, times);
    if (times.length >= requests) return false;
    times.push(now);
    return true;
  };
}
