/** Account, pipelines, fields and webhooks of the emulated API (fact sheet, 4, 6, 7 and 8). */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { World } from '../world.ts';
import { type AddRoute, type Call, httpProblem, validationProblem } from './admission.ts';
import { amo } from './hooks.ts';
import { ACCOUNT, API_USER, CONTACT_FIELDS, LEAD_FIELDS } from './setup.ts';
import { nextId, type Subscription } from './state.ts';
import { customFieldsView, oddOr, pipelinesView, selfLink } from './views.ts';

const MAX_HOOKS = 100;

export function accountRoutes(add: AddRoute, world: World): void {
  const { subscriptions } = world.state.amocrm;
  add('GET', '/account', ({ reply, base }) =>
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
      ...selfLink(base, 'account'),
    }),
  );
  add('GET', '/leads/pipelines', (call) =>
    sendAll(call, 'leads/pipelines', {
      _embedded: {
        pipelines: pipelinesView(call.base).map((one) => oddOr(world.state.amocrm, `pipelines/${one.id}`, one)),
      },
    }),
  );
  for (const [entity, fields] of Object.entries({ leads: LEAD_FIELDS, contacts: CONTACT_FIELDS }))
    add('GET', `/${entity}/custom_fields`, (call) => {
      if (Number(call.query.get('page') ?? 1) > 1) return call.reply.code(204).send();
      const _embedded = {
        custom_fields: customFieldsView(fields, entity).map((one) =>
          oddOr(world.state.amocrm, `fields/${one.id}`, one),
        ),
      };
      return sendAll(call, `${entity}/custom_fields`, { _page: 1, _page_count: 1, _embedded });
    });
  add('GET', '/webhooks', (call) => {
    const destination = call.query.get('filter[destination]');
    const found = [...subscriptions.values()].filter((one) => destination === null || one.destination === destination);
    if (found.length === 0) return call.reply.code(204).send();
    return sendAll(call, 'webhooks', { _embedded: { webhooks: found.map(webhookView) } });
  });
  add('POST', '/webhooks', (call) => subscribe(world, call));
  add('DELETE', '/webhooks', ({ request, reply }) => {
    const input = z.object({ destination: z.string() }).safeParse(request.body);
    if (!input.success || !subscriptions.has(input.data.destination))
      return httpProblem(reply, 404, 'Not Found', 'Webhook not found');
    world.journal.append(amo({ what: 'unsubscribed', destination: input.data.destination }));
    return reply.code(204).send();
  });
}

interface WholeList {
  readonly _embedded: Readonly<Record<string, readonly unknown[]>>;
  readonly _page?: number;
  readonly _page_count?: number;
}

/** Answer with a whole list. */
function sendAll({ reply, base }: Call, path: string, list: WholeList): FastifyReply {
  const total = Object.values(list._embedded).flat().length;
  return reply.send({ _total_items: total, ...list, ...selfLink(base, path) });
}

function subscribe(world: World, { request, reply, clientId }: Call): FastifyReply {
  const { subscriptions } = world.state.amocrm;
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
