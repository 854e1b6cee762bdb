/** Count and describe what is deleted or stops with an integration. */
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { type IntegrationState, readIntegrationState } from '../amocrmContract.ts';
import type { CrmIntegration } from '../contract.ts';

export async function integrationCascadeCounts({ id }: Pick<CrmIntegration, 'id'>): Promise<string> {
  return deletionText(await call(readIntegrationState, { params: { id } }));
}

function deletionText({ cards, to_write: toWrite }: IntegrationState): string {
  return [leadsWithCardText(cards), ...(toWrite > 0 ? [droppedWritesText(toWrite)] : [])].join(' ');
}

/** Describe what stops when the keys are dropped. */
export function describeDisconnect({ cards, to_write: toWrite }: IntegrationState): string {
  return [
    t('amoCRM is no longer read or written. Leads and settings stay.'),
    leadsWithCardText(cards),
    ...(toWrite > 0 ? [droppedWritesText(toWrite)] : []),
  ].join(' ');
}

const leadsWithCardText = (count: number): string =>
  count === 0
    ? t('No lead has a card in it.')
    : t('{{count}} leads have a card in it and no longer follow it.', {
        count,
        defaultValue_one: '{{count}} lead has a card in it and no longer follows it.',
      });

const droppedWritesText = (count: number): string =>
  t('{{count}} pending stage changes are dropped.', {
    count,
    defaultValue_one: '{{count}} pending stage change is dropped.',
  });
