/** Create a card, and find a created one when amoCRM did not answer. */
import { z } from 'zod';
import type { AppContext } from '../../platform/appContext.ts';
import { parseAnswer, type ReadResult } from './api.ts';
import { call } from './call.ts';
import { id, listOf, seconds } from './shapes.ts';

export interface NewCard {
  readonly name: string;
  readonly pipelineId: number;
  readonly statusId: number;
}

/** Create a card and return its id. Two calls create two cards: amoCRM has no idempotency key. */
export async function createCard(
  context: AppContext,
  integrationId: number,
  card: NewCard,
): Promise<ReadResult<number | null>> {
  const shape = listOf('leads', z.object({ id })).transform(({ items: [first] }) => first?.id ?? null);
  const body = [{ name: card.name, pipeline_id: card.pipelineId, status_id: card.statusId }];
  return parseAnswer(
    await call(context, { integrationId, method: 'POST', path: '/leads', body }),
    shape.nullable(),
    null,
  );
}

/** A card that may be the created one; `createdAt` in unix seconds by the CRM's clock. */
export interface CardCandidate {
  readonly id: number;
  readonly createdAt: number;
}

/** Find the newest cards with exactly this name. */
export async function findCardsByName(
  context: AppContext,
  integrationId: number,
  name: string,
): Promise<ReadResult<CardCandidate[]>> {
  const query = new URLSearchParams({ query: name, 'order[created_at]': 'desc', limit: '50' });
  const candidate = z.object({ id, name: z.string(), created_at: seconds });
  const shape = listOf('leads', candidate).transform(({ items }) =>
    items
      .filter((each) => each.name.trim() === name.trim())
      .map((each) => ({ id: each.id, createdAt: each.created_at ?? 0 })),
  );
  return parseAnswer(
    await call(context, { integrationId, method: 'GET', path: `/leads?${query.toString()}` }),
    shape,
    [],
  );
}
