/** Making a card, and finding the one that was made when amoCRM did not say so. */
import { z } from 'zod';
import type { Ground } from '../../platform/ground.ts';
import { type Read, readAs } from './api.ts';
import { call } from './call.ts';

export interface NewCard {
  readonly name: string;
  readonly pipelineId: number;
  readonly statusId: number;
}

/** Makes a card; gives its id. Made twice it is two cards: amoCRM knows no key for it. */
export async function makeCard(ground: Ground, integrationId: number, made: NewCard): Promise<Read<number | null>> {
  const shape = z
    .object({ _embedded: z.object({ leads: z.array(z.object({ id: z.int() })).min(1) }) })
    .transform((one) => one._embedded.leads[0]?.id ?? null);
  const body = [{ name: made.name, pipeline_id: made.pipelineId, status_id: made.statusId }];
  return readAs(await call(ground, integrationId, 'POST', '/leads', body), shape.nullable(), null);
}

/** A card that may be the one; `createdAt` in unix seconds by the CRM's clock. */
export interface Candidate {
  readonly id: number;
  readonly createdAt: number;
}

/** The newest cards of exactly this name. */
export async function cardsNamed(ground: Ground, integrationId: number, name: string): Promise<Read<Candidate[]>> {
  const query = new URLSearchParams({ query: name, 'order[created_at]': 'desc', limit: '50' });
  const shape = z
    .object({
      _embedded: z.object({ leads: z.array(z.object({ id: z.int(), name: z.string(), created_at: z.int() })) }),
    })
    .transform((one) =>
      one._embedded.leads
        .filter((each) => each.name.trim() === name.trim())
        .map((each) => ({ id: each.id, createdAt: each.created_at })),
    );
  return readAs(await call(ground, integrationId, 'GET', `/leads?${query.toString()}`), shape, []);
}
