/** What goes, or stops, with an integration: counted, in a sentence. */
import { call } from '../../kit/api.ts';
import { t } from '../../kit/t.ts';
import { type IntegrationState, readIntegrationState } from '../amocrmContract.ts';
import type { CrmIntegration } from '../contract.ts';

export async function goesWithIntegration({ id }: Pick<CrmIntegration, 'id'>): Promise<string> {
  return withoutIntegration(await call(readIntegrationState, { params: { id } }));
}

function withoutIntegration({ cards, to_write: toWrite }: IntegrationState): string {
  return [leadsLoseTheCrm(cards), ...(toWrite > 0 ? [droppedWrites(toWrite)] : [])].join(' ');
}

/** What stops when the keys are dropped. */
export function withoutKeys({ cards, to_write: toWrite }: IntegrationState): string {
  return [
    t('Nothing is read from amoCRM or written to it any more; leads and settings stay.'),
    leadsLoseTheCrm(cards),
    ...(toWrite > 0 ? [droppedWrites(toWrite)] : []),
  ].join(' ');
}

const leadsLoseTheCrm = (count: number): string =>
  count === 0
    ? t('No lead has a card in it.')
    : t('{{count}} leads have a card in it and will not follow it any more.', {
        count,
        defaultValue_one: '{{count}} lead has a card in it and will not follow it any more.',
      });

const droppedWrites = (count: number): string =>
  t('{{count}} changes of stage that wait to be written are dropped.', {
    count,
    defaultValue_one: '{{count}} change of stage that waits to be written is dropped.',
  });
