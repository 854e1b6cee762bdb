/** Account, pipelines, fields and webhooks of the emulated API (fact sheet, 4, 6, 7 and 8). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { World } from '../world.ts';
import { type Admit, type Caller, httpProblem, validationProblem } from './admission.ts';
import { amo } from './hooks.ts';
import { ACCOUNT, API_USER, CONTACT_FIELDS, LEAD_FIELDS } from './setup.ts';
import { nextId, type Subscription } from './state.ts';
import { customFieldsView, pipelinesView } from './views.ts';

const MAX_HOOKS = 100;

export function accountRoutes(app: FastifyInstance, world: World, admitted: Admit): void {
  app.get(
    '/api/v4/account',
    admitted((_request, reply, { base }) =>
      reply.send({
        ...ACCOUNT,
        created_at: 1_700_000_000,
        created_by: 0,
        updated_at: 1_700_000_000,
        updated_by: 0,
        current_user_id: API_USER,
        currency_symbol: '€',
        customers_mode: 'unavailable',
        is_unsorted_on: true,
        _links: { self: { href: `${base}/api/v4/account` } },
      }),
    ),
  );
  app.get(
    '/api/v4/leads/pipelines',
    admitted((_request, reply, { base }) =>
      sendAll(reply, `${base}/api/v4/leads/pipelines`, { pipelines: pipelinesView(base) }),
    ),
  );
  for (const [entity, fields] of [
    ['leads', LEAD_FIELDS],
    ['contacts', CONTACT_FIELDS],
  ] as const) {
    app.get(
      `/api/v4/${entity}/custom_fields`,
      admitted((request, reply, { base }) => {
        if (Number(new URL(request.url, base).searchParams.get('page') ?? 1) > 1) return reply.code(204).send();
        const custom_fields = customFieldsView(fields, entity);
        return sendAll(
          reply,
          `${base}/api/v4/${entity}/custom_fields`,
          { custom_fields },
          { _page: 1, _page_count: 1 },
        );
      }),
    );
  }
  app.get(
    '/api/v4/webhooks',
    admitted((request, reply, caller) => listWebhooks(world, request, reply, caller)),
  );
  app.post(
    '/api/v4/webhooks',
    admitted((request, reply, caller) => subscribe(world, request, reply, caller)),
  );
  app.delete(
    '/api/v4/webhooks',
    admitted((request, reply) => {
      const input = z.object({ destination: z.string() }).safeParse(request.body);
      if (!input.success || !world.state.amocrm.subscriptions.has(input.data.destination))
        return httpProblem(reply, 404, 'Not Found', 'Webhook not found');
      world.journal.append(amo({ what: 'unsubscribed', destination: input.data.destination }));
      return reply.code(204).send();
    }),
  );
}

/** Answer with a whole list. */
function sendAll(reply: FastifyReply, href: string, embedded: Record<string, readonly object[]>, more: object = {}) {
  const total = Object.values(embedded).flat().length;
  return reply.send({ _total_items: total, ...more, _links: { self: { href } }, _embedded: embedded });
}

function listWebhooks(world: World, request: FastifyRequest, reply: FastifyReply, { base }: Caller): FastifyReply {
  const destination = new URL(request.url, base).searchParams.get('filter[destination]');
  const all = [...world.state.amocrm.subscriptions.values()];
  const found = all.filter((one) => destination === null || one.destination === destination);
  if (found.length === 0) return reply.code(204).send();
  return sendAll(reply, `${base}/api/v4/webhooks`, { webhooks: found.map(webhookView) });
}

function subscribe(world: World, request: FastifyRequest, reply: FastifyReply, { clientId }: Caller): FastifyReply {
  const { subscriptions } = world.state.amocrm;
  if (!world.state.settings.amocrm.webhooks)
    return httpProblem(reply, 402, 'Payment Required', 'Webhooks are not available on this tariff');
  const input = z
    .object({ destination: z.url().max(500), settings: z.array(z.string()).min(1).max(50) })
    .safeParse(request.body);
  if (!input.success) return validationProblem(reply, 'destination', 'Invalid webhook');
  const existing = subscriptions.get(input.data.destination);
  if (!existing && subscriptions.size >= MAX_HOOKS) return validationProblem(reply, 'destination', 'Too many');
  const usedIds = [...subscriptions.values()].map((one) => one.id);
  const id = existing?.id ?? nextId(usedIds, 4_000_001);
  const created = Math.floor(world.clock.now() / 1000);
  world.journal.append(amo({ what: 'subscribed', id, clientId, ...input.data, created }));
  const subscription = subscriptions.get(input.data.destination);
  return reply.code(201).send(subscription ? webhookView(subscription) : {});
}

function webhookView({ id, destination, created, disabled, settings }: Subscription): object {
  const times = { created_at: created, updated_at: created };
  return { id, destination, ...times, account_id: ACCOUNT.id, created_by: API_USER, sort: 1, disabled, settings };
}
