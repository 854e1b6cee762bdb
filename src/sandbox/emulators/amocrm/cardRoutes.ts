/** Leads and contacts of the emulated API (fact sheet, 5 and 6), as far as Rapport uses them. */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ImpossibleActionError } from '../errors.ts';
import type { World } from '../world.ts';
import { type AddRoute, type Call, httpProblem, paged, validationProblem } from './admission.ts';
import { isMatching, orderOf } from './cardQuery.ts';
import { changeCard, createCard } from './cards.ts';
import type { Card } from './changes.ts';
import { API_USER, BOARD_USER } from './setup.ts';
import { cardView, contactView, oddOr, selfLink } from './views.ts';

const cardInput = z.object({
  id: z.number().int().optional(),
  name: z.string().max(255).optional(),
  price: z.number().optional(),
  status_id: z.number().int().optional(),
  pipeline_id: z.number().int().optional(),
  request_id: z.union([z.string(), z.number()]).optional(),
});
const cardInputs = z.array(cardInput).max(250);
const byId = z.object({ id: z.coerce.number().int() });
const idOf = ({ request }: Call): number => byId.parse(request.params).id;

export function cardRoutes(add: AddRoute, world: World): void {
  const state = world.state.amocrm;
  const withContacts = ({ query }: Call) => (query.get('with') ?? '').split(',').includes('contacts');
  add('GET', '/leads', (call) => {
    const { query, base } = call;
    const cards = [...state.cards.values()].filter((card) => isMatching(card, query)).toSorted(orderOf(query));
    const views = cards.map((card) => oddOr(state, `leads/${card.id}`, cardView(card, base, withContacts(call))));
    paged(call, 'leads', views);
    editMeanwhile(world);
    return call.reply;
  });
  add('GET', '/leads/:id', (call) => {
    const card = state.cards.get(idOf(call));
    // A missing lead is an empty answer, like an empty list.
    if (!card) return call.reply.code(204).send();
    return call.reply.send(oddOr(state, `leads/${card.id}`, cardView(card, call.base, withContacts(call))));
  });
  const writeAll = (method: 'POST' | 'PATCH', write: (input: z.infer<typeof cardInput>) => Card) =>
    add(method, '/leads', ({ request, reply, base }) =>
      written(reply, () => {
        const leads = cardInputs.parse(request.body).map((one, index) => {
          const { id, updated_at } = write(one);
          const request_id = String(one.request_id ?? one.id ?? index);
          return { id, updated_at, request_id, ...selfLink(base, `leads/${id}`) };
        });
        return { ...selfLink(base, 'leads'), _embedded: { leads } };
      }),
    );
  writeAll('POST', (input) => createCard(world, input, API_USER));
  writeAll('PATCH', (input) => changeCard(world, input.id ?? 0, input, API_USER));
  add('PATCH', '/leads/:id', (call) => {
    const { request, reply, base } = call;
    const id = idOf(call);
    if (!state.cards.has(id)) return httpProblem(reply, 404, 'Not Found', 'Lead not found');
    return written(reply, () => {
      const { updated_at } = changeCard(world, id, cardInput.parse(request.body), API_USER);
      return { id, updated_at, ...selfLink(base, `leads/${id}`) };
    });
  });
  add('GET', '/contacts', (call) => {
    const ids = call.query.getAll('filter[id][]').map(Number);
    const found = [...state.contacts.values()].filter((one) => ids.length === 0 || ids.includes(one.id));
    const views = found.map((one) => oddOr(state, `contacts/${one.id}`, contactView(one, state, call.base)));
    return paged(call, 'contacts', views);
  });
  add('GET', '/contacts/:id', (call) => {
    const contact = state.contacts.get(idOf(call));
    if (!contact) return call.reply.code(204).send();
    return call.reply.send(oddOr(state, `contacts/${contact.id}`, contactView(contact, state, call.base)));
  });
}

/** People edit cards while a list is read page by page, if that fault is on. */
function editMeanwhile(world: World): void {
  const fault = world.faults.take('amocrm.edit_meanwhile', { account: 'amocrm' });
  const cards = [...world.state.amocrm.cards.values()];
  for (let edits = fault ? (fault.size ?? 10) : 0; edits > 0 && cards.length > 0; edits--) {
    const card = cards[Math.floor(world.faults.random() * cards.length)];
    if (card) changeCard(world, card.id, { price: card.price + 1 }, BOARD_USER);
  }
}

/** Run the write and answer with 400 what amoCRM would refuse. */
function written(reply: FastifyReply, work: () => object): FastifyReply {
  try {
    return reply.send(work());
  } catch (error) {
    if (error instanceof ImpossibleActionError) return validationProblem(reply, 'status_id', error.message);
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      return validationProblem(reply, issue?.path.join('.') ?? '', issue?.message ?? 'Invalid');
    }
    throw error;
  }
}
