/** SQL of what webhooks want. */
import { type RawBuilder, sql } from 'kysely';
import type { WebhookEvent } from '../contract.ts';

/** Since when an active webhook has wanted an event of the product `p`; null: none does. */
export const wantedSince = (event: WebhookEvent): RawBuilder<string | null> => sql`(
  select min(h.created_at) from webhooks h
   where h.company_id = p.company_id and (h.only_product_id is null or h.only_product_id = p.id) and h.is_active and h.events ? ${event})`;
