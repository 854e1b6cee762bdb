/** Events as the modules publish them. */
import type { WebhookEvent } from './contract.ts';

/** Something that happened to a product, as other systems are sent it. */
export interface PublishedEvent {
  readonly type: WebhookEvent;
  readonly productId: number;
  /** A random UUID. */
  readonly id: string;
  /** What it is of, unique among all events: `report.weekly:7:2026-11-23`. A webhook gets one event with a key. */
  readonly key: string;
  readonly data: object;
  /** Only webhooks that existed by then get it; by default all. */
  readonly wantedSince?: string;
}

/** The sweep that sends what is due. */
export const DELIVERIES_SWEEP = 'webhook deliveries';
