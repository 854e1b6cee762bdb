/** Words of webhooks and their deliveries. */
import { Badge } from '@mantine/core';
import type { Option } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import {
  type DeliveredEvent,
  type DeliveryState,
  deliveryStates,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
  webhookEvents,
} from '../contract.ts';

const EVENTS: Readonly<Record<DeliveredEvent, string>> = {
  'report.weekly': 'Weekly report',
  'experiment.ended': 'Experiment ended',
  test: 'Test',
};

export const eventLabel = (event: DeliveredEvent): string => t(EVENTS[event]);

export const eventOptions = (): { value: WebhookEvent; label: string }[] =>
  webhookEvents.map((value) => ({ value, label: eventLabel(value) }));

const STATES: Readonly<Record<DeliveryState, { readonly label: string; readonly color: string }>> = {
  pending: { label: 'Waiting', color: 'yellow' },
  delivered: { label: 'Delivered', color: 'green' },
  failed: { label: 'Failed', color: 'red' },
};

export const stateLabel = (state: DeliveryState): string => t(STATES[state].label);

export const stateOptions = (): Option[] => deliveryStates.map((value) => ({ value, label: stateLabel(value) }));

export const StateBadge = ({ state }: { state: DeliveryState }) => (
  <Badge color={STATES[state].color}>{stateLabel(state)}</Badge>
);

/** The address without its scheme, which says little. */
export const webhookName = ({ url }: Pick<Webhook, 'url'>): string => url.replace(/^https?:\/\//, '');

export const deliveryName = ({ event, id }: Pick<WebhookDelivery, 'event' | 'id'>): string =>
  t('{{event}}, delivery {{id}}', { event: eventLabel(event), id });
