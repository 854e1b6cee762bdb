/** Account, pipelines, fields and webhooks of the emulated API (fact sheet, 4, 6, 7 and 8). */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { World } from '../world.ts';
import { createAdmission, httpProblem, validationProblem } from './admission.ts';
import { amo } from './hooks.ts';
import { ACCOUNT, API_USER, CONTACT_FIELDS, LEAD_FIELDS } from './setup.ts';
import { nextId } from './state.ts';
import { customFieldsView, pipelinesView } from './views.ts';

const MAX_HOOKS = 100;

export function accountRoutes(app: FastifyInstance, world: World): void {
  const admitted = createAdmission(world);
  const state = world.state.amocrm;

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
    admitted((_request, reply, { base }) => {
      const pipelines = pipelinesView(base);
      return reply.send({
        _total_items: pipelines.length,
        _links: { self: { href: `${base}/api/v4/leads/pipelines` } },
        _embedded: { pipelines },
      });
    }),
  );
  app.get(
    '/api/v4/leads/pipelines/:id',
    admitted((request, reply, { base }) => {
      const { id } = z.object({ id: z.coerce.number() }).parse(request.params);
      const pipeline = pipelinesView(base).find((one) => one.id === id);
      return pipeline ? reply.send(pipeline) : httpProblem(reply, 404, 'Not Found', 'Pipeline not found');
    }),
  );

  for (const [entity, fields] of [
    ['leads', LEAD_FIELDS],
    ['contacts', CONTACT_FIELDS],
  ] as const) {
    app.get(
      `/api/v4/${entity}/custom_fields`,
      admitted((request, reply, { base }) => {
        const query = new URL(request.url, base).searchParams;
        const page = Number(query.get('page') ?? 1);
        if (page > 1) return reply.code(204).send();
        return reply.send({
          _total_items: fields.length,
          _page: 1,
          _page_count: 1,
          _links: { self: { href: `${base}/api/v4/${entity}/custom_fields` } },
          _embedded: { custom_fields: customFieldsView(fields, entity) },
        });
      }),
    );
  }

  const toView = (one: {
    destination: string;
    id: number;
    settings: string[];
    created: number;
    disabled: boolean;
  }) => ({
    id: one.id,
    destination: one.destination,
    created_at: one.created,
    updated_at: one.created,
    account_id: ACCOUNT.id,
    created_by: API_USER,
    sort: 1,
    disabled: one.disabled,
    settings: one.settings,
  });

  app.get(
    '/api/v4/webhooks',
    admitted((request, reply, { base }) => {
      const destination = new URL(request.url, base).searchParams.get('filter[destination]');
      const found = [...state.subscriptions.values()].filter(
        (one) => destination === null || one.destination === destination,
      );
      if (found.length === 0) return reply.code(204).send();
      return reply.send({
        _total_items: found.length,
        _links: { self: { href: `${base}/api/v4/webhooks` } },
        _embedded: { webhooks: found.map(toView) },
      });
    }),
  );
  app.post(
    '/api/v4/webhooks',
    admitted((request, reply, { clientId }) => {
      if (!world.state.settings.amocrm.webhooks)
        return httpProblem(reply, 402, 'Payment Required', 'Webhooks are not available on this tariff');
      const input = z
        .object({ destination: z.url().max(500), settings: z.array(z.string()).min(1).max(50) })
        .safeParse(request.body);
      if (!input.success) return validationProblem(reply, 'destination', 'Invalid webhook');
      const existing = state.subscriptions.get(input.data.destination);
      if (!existing && state.subscriptions.size >= MAX_HOOKS)
        return validationProblem(reply, 'destination', 'Too many');
      const usedIds = [...state.subscriptions.values()].map((one) => one.id);
      world.journal.append(
        amo({
          what: 'subscribed',
          id: existing?.id ?? nextId(usedIds, 4_000_001),
          clientId,
          ...input.data,
          created: Math.floor(world.clock.now() / 1000),
        }),
      );
      const created = state.subscriptions.get(input.data.destination);
      return reply.code(201).send(created ? toView(created) : {});
    }),
  );
  app.delete(
    '/api/v4/webhooks',
    admitted((request, reply) => {
      const input = z.object({ destination: z.string() }).safeParse(request.body);
      if (!input.success || !state.subscriptions.has(input.data.destination))
        return httpProblem(reply, 404, 'Not Found', 'Webhook not found');
      world.journal.append(amo({ what: 'unsubscribed', destination: input.data.destination }));
      return reply.code(204).send();
    }),
  );
}
