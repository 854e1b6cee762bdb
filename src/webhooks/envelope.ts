/** What is sent about an event, as Standard Webhooks describes it. */
import type { DeliveredEvent } from './contract.ts';

interface StoredEvent {
  readonly event: DeliveredEvent;
  readonly createdAt: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const envelopeOf = ({ event: type, createdAt: timestamp, payload: data }: StoredEvent) => ({
  type,
  timestamp,
  data,
});
