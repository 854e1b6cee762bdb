/**
 * Notes and tasks of a card. amoCRM has no idempotency key: two calls create two of them. So each text ends with a
 * marker, by which one is found whose answer was lost.
 */
import { z } from 'zod';
import type { AppContext } from '../../platform/appContext.ts';
import { parseAnswer, type ReadResult } from './api.ts';
import { type Answer, call } from './call.ts';
import { id, listOf } from './shapes.ts';

export type Piece = 'note' | 'task';

interface OnCard {
  readonly integrationId: number;
  readonly cardId: number;
}

export interface NewNote extends OnCard {
  readonly piece: 'note';
  readonly text: string;
}

export interface NewTask extends OnCard {
  readonly piece: 'task';
  readonly text: string;
  /** Null: amoCRM gives it to the user of the integration. */
  readonly responsibleUserId: number | null;
  /** Unix seconds. */
  readonly completeTill: number;
}

/** The type of task that every account has: a follow-up. */
const TASK_TYPE = 1;
const PAGE_SIZE = 250;
/** Newest first; what is looked for is minutes old. */
const MAX_PAGES = 20;

/** The list that a note or a task is in. */
const LISTS: Readonly<Record<Piece, string>> = { note: 'notes', task: 'tasks' };

const created = (piece: Piece) =>
  listOf(LISTS[piece], z.object({ id })).transform(({ items: [first] }) => first?.id ?? null);

/** Create a note or a task. Its id is null if amoCRM accepted it without saying which one it is. */
export async function createOnCard(
  context: AppContext,
  input: NewNote | NewTask,
  limits: { readonly timeoutMs: number; readonly beforeSend: () => Promise<boolean> },
): Promise<ReadResult<number | null> | Extract<Answer, { kind: 'missing' }>> {
  const { integrationId } = input;
  const answer = await call(context, { integrationId, method: 'POST', ...requestOf(input), ...limits });
  return answer.kind === 'missing' ? answer : parseAnswer(answer, created(input.piece), null);
}

function requestOf(input: NewNote | NewTask): { path: string; body: unknown } {
  const { cardId, text } = input;
  if (input.piece === 'note')
    return { path: `/leads/${cardId}/notes`, body: [{ note_type: 'common', params: { text } }] };
  const { responsibleUserId, completeTill } = input;
  return {
    path: '/tasks',
    body: [
      {
        task_type_id: TASK_TYPE,
        text,
        complete_till: completeTill,
        entity_id: cardId,
        entity_type: 'leads',
        ...(responsibleUserId === null ? {} : { responsible_user_id: responsibleUserId }),
      },
    ],
  };
}

const marked = z
  .object({
    id,
    text: z.string().nullish().catch(null),
    params: z
      .object({ text: z.string().nullish().catch(null) })
      .nullish()
      .catch(null),
  })
  .transform((one) => ({ id: one.id, text: one.text ?? one.params?.text ?? '' }));

/** Find the note or the task of a card that ends with the marker; null if there is none. */
export async function findOnCard(
  context: AppContext,
  { integrationId, cardId, piece, marker }: OnCard & { readonly piece: Piece; readonly marker: string },
): Promise<ReadResult<number | null>> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = new URLSearchParams({ 'order[id]': 'desc', limit: String(PAGE_SIZE), page: String(page) });
    if (piece === 'note') query.set('filter[note_type]', 'common');
    else {
      query.set('filter[entity_type]', 'leads');
      query.set('filter[entity_id][]', String(cardId));
    }
    const path = `${piece === 'note' ? `/leads/${cardId}/notes` : '/tasks'}?${query.toString()}`;
    const answer = await call(context, { integrationId, method: 'GET', path });
    const read = parseAnswer(answer, listOf(LISTS[piece], marked), { items: [], unreadable: [], hasNext: false });
    if (read.kind !== 'read') return read;
    const found = read.value.items.find(({ text }) => text.trimEnd().endsWith(marker));
    if (found) return { kind: 'read', value: found.id };
    if (!read.value.hasNext) break;
  }
  return { kind: 'read', value: null };
}
