/** SQL of what webhooks want. */
import { type RawBuilder, sql } from 'kysely';
import type { WebhookEvent } from '../contract.ts';

/** Whether an active webhook wants an event of the product `p`. */
export const isWanted = (event: WebhookEvent): RawBuilder<boolean> => sql`exists (
  select from webhooks h
   where h.company_id = p.company_id and (h.only_product_id is null or h.only_product_id = p.id) and h.is_active and h.events ? ${event})`;
