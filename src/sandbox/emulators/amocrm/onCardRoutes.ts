/** Notes and tasks of cards in the emulated API, as far as Rapport uses them. Nothing prevents a second, equal one. */
import { z } from 'zod';
import type { World } from '../world.ts';
import { type AddRoute, type Call, httpProblem, paged, validationProblem } from './admission.ts';
import type { Note } from './changes.ts';
import { amo } from './hooks.ts';
import { API_USER, BOARD_USER } from './setup.ts';
import { nextId } from './state.ts';
import { noteView, selfLink, taskView } from './views.ts';

const requestId = z.union([z.string(), z.number()]).optional();
const noteInputs = z
  .array(
    z.object({
      note_type: z.literal('common'),
      params: z.object({ text: z.string().trim().min(1) }),
      request_id: requestId,
    }),
  )
  .min(1)
  .max(250);
const taskInputs = z
  .array(
    z.object({
      text: z.string().trim().min(1),
      complete_till: z.number().int().positive(),
      task_type_id: z.number().int().min(1).max(2).default(1),
      entity_type: z.literal('leads'),
      entity_id: z.number().int(),
      responsible_user_id: z
        .number()
        .refine((id) => [API_USER, BOARD_USER].includes(id), 'There is no such user')
        .default(API_USER),
      request_id: requestId,
    }),
  )
  .min(1)
  .max(250);

/** Return what is on a card, oldest first. */
export const onCard = <T extends Note>(all: ReadonlyMap<number, T>, card: number): T[] =>
  [...all.values()].filter((one) => one.card === card);

/** Put the newest first if the list asks for that. */
const ordered = <T extends Note>({ query }: Call, items: readonly T[]): T[] =>
  items.toSorted((one, other) => (query.get('order[id]') === 'desc' ? other.id - one.id : one.id - other.id));

export function onCardRoutes(add: AddRoute, world: World): void {
  const { cards, notes, tasks } = world.state.amocrm;
  const cardOf = ({ request }: Call) => z.object({ id: z.coerce.number().int() }).parse(request.params).id;
  const seconds = () => Math.floor(world.clock.now() / 1000);
  add('GET', '/leads/:id/notes', (call) => {
    const type = call.query.get('filter[note_type]') ?? 'common';
    const found = type === 'common' ? onCard(notes, cardOf(call)) : [];
    const views = ordered(call, found).map((note) => noteView(note, call.base));
    return paged(call, 'notes', views);
  });
  add('POST', '/leads/:id/notes', (call) => {
    const { request, reply, base } = call;
    const card = cardOf(call);
    if (!cards.has(card)) return httpProblem(reply, 404, 'Not Found', 'Lead not found');
    const input = noteInputs.safeParse(request.body);
    if (!input.success) return refuse(call, input.error);
    const created = input.data.map(({ params: { text }, request_id = '0' }) => {
      const id = nextId(notes.keys(), 5_000_001);
      world.journal.append(amo({ what: 'note', note: { id, card, text, created_at: seconds() } }));
      return { id, entity_id: card, request_id: String(request_id), ...selfLink(base, `leads/${card}/notes/${id}`) };
    });
    return reply.send({ ...selfLink(base, `leads/${card}/notes`), _embedded: { notes: created } });
  });
  add('GET', '/tasks', (call) => {
    const ids = call.query.getAll('filter[entity_id][]').map(Number);
    const isOfLeads = call.query.get('filter[entity_type]') === 'leads';
    const found = [...tasks.values()].filter(({ card }) => ids.length === 0 || (isOfLeads && ids.includes(card)));
    const views = ordered(call, found).map((task) => taskView(task, call.base));
    return paged(call, 'tasks', views);
  });
  add('POST', '/tasks', (call) => {
    const { request, reply, base } = call;
    const input = taskInputs.safeParse(request.body);
    if (!input.success) return refuse(call, input.error);
    if (!input.data.every(({ entity_id: card }) => cards.has(card)))
      return validationProblem(reply, '0.entity_id', 'There is no such lead');
    const created = input.data.map(({ entity_id: card, entity_type: _leads, request_id = '0', ...task }) => {
      const id = nextId(tasks.keys(), 6_000_001);
      world.journal.append(amo({ what: 'task', task: { id, card, ...task, created_at: seconds() } }));
      return { id, request_id: String(request_id), ...selfLink(base, `tasks/${id}`) };
    });
    return reply.send({ ...selfLink(base, 'tasks'), _embedded: { tasks: created } });
  });
}

function refuse({ reply }: Call, { issues: [issue] }: z.ZodError) {
  return validationProblem(reply, issue?.path.join('.') ?? '', issue?.message ?? 'Invalid');
}
