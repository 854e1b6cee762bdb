/** Target of a link to a card; the board itself is a page of the sandbox. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { World } from '../world.ts';
import { plainPage } from './consent.ts';
import { onCard } from './onCardRoutes.ts';
import { statusOf } from './setup.ts';

const byId = z.object({ id: z.coerce.number().int() });

export function cardPage(app: FastifyInstance, { state }: World): void {
  app.get('/leads/detail/:id', async (request, reply) => {
    const asked = byId.safeParse(request.params);
    const card = asked.success ? state.amocrm.cards.get(asked.data.id) : undefined;
    reply.type('text/html; charset=utf-8');
    if (!card) return reply.code(404).send(plainPage('There is no such card.'));
    const step = statusOf(card.pipeline_id, card.status_id)?.name ?? '';
    const notes = onCard(state.amocrm.notes, card.id).map(({ text }) => `Note: ${text}`);
    const tasks = onCard(state.amocrm.tasks, card.id).map(
      ({ text, complete_till: until }) => `Task until ${new Date(until * 1000).toISOString()}: ${text}`,
    );
    return plainPage(`Card ${card.id}: ${card.name}, in the step ${step}.`, ...notes, ...tasks);
  });
}
