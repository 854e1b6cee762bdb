/** Show what the settings on the page would change in the coming days, before they are saved. */
import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../../ui/api.ts';
import { formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { Section } from '../../../ui/Section.tsx';
import { type Proposal, readConsequences } from '../../rehearsalContract.ts';
import { describeEffects, type Effect } from '../effects.ts';
import classes from '../rehearsal.module.css';

const PERIOD_DAYS = 30;
/** Milliseconds without typing before the server is asked. */
const DEBOUNCE_MS = 600;

/** Ask at once what a change would do. Returns an empty list if that fails. */
export async function previewEffects(productId: number, proposal: Proposal): Promise<Effect[]> {
  try {
    const body = { product_id: productId, days: PERIOD_DAYS, proposal };
    return describeEffects(await call(readConsequences, { body }));
  } catch {
    return [];
  }
}

interface ConsequencesProps {
  productId: number;
  /** Settings on the page that are not saved, valid or not; null if there are none. */
  proposal: Proposal | null;
}

export function Consequences({ productId, proposal }: ConsequencesProps) {
  const proposalJson = proposal && JSON.stringify(proposal);
  const [debouncedJson] = useDebouncedValue(proposalJson, DEBOUNCE_MS);
  const body =
    debouncedJson === null ? null : { product_id: productId, days: PERIOD_DAYS, proposal: JSON.parse(debouncedJson) };
  const parsed = body === null ? null : readConsequences.body.safeParse(body);
  const read = useQuery({
    queryKey: ['consequences', productId, debouncedJson],
    queryFn: ({ signal }) => {
      if (!parsed?.success) throw new Error('Nothing to ask');
      return call(readConsequences, { body: parsed.data, signal });
    },
    enabled: parsed?.success === true,
    placeholderData: keepPreviousData,
    // Every sent message changes the answer, so it is kept only while it is shown.
    gcTime: 0,
    staleTime: 0,
  });
  const isWaiting = proposalJson !== null && (proposalJson !== debouncedJson || read.isFetching);
  return (
    <Section
      title={t('Effect of your changes')}
      actions={
        <Text size="sm">
          <PageLink to="rehearsal">{t('Rehearsal')}</PageLink>
        </Text>
      }
    >
      <div role="status" aria-busy={isWaiting} className={isWaiting ? classes.stale : undefined}>
        {proposalJson === null ? (
          <DimmedText text={t('Before you save, this shows how changes affect the next 30 days.')} />
        ) : parsed?.success === false ? (
          <DimmedText text={t('Complete the settings to see their effect.')} />
        ) : read.error && !isWaiting ? (
          <DimmedText text={t('The effect could not be calculated: {{reason}}', { reason: read.error.message })} />
        ) : read.data === undefined ? (
          <DimmedText text={t('Rehearsing the next 30 days...')} />
        ) : (
          <>
            <ul className={classes.effects}>
              {describeEffects(read.data).map(({ text, isWarning }) => (
                <li key={text} className={isWarning ? classes.warning : undefined}>
                  {isWarning && <IconAlertTriangle size={16} aria-hidden />}
                  <Text span size="sm" inherit={isWarning}>
                    {text}
                  </Text>
                </li>
              ))}
            </ul>
            <Text size="xs" c="dimmed">
              {t('{{count, number}} messages in 30 days now, {{after}} with the change, if no one replies.', {
                count: read.data.before,
                defaultValue_one: '1 message in 30 days now, {{after}} with the change, if no one replies.',
                after: formatNumber(read.data.after),
              })}
            </Text>
          </>
        )}
      </div>
    </Section>
  );
}

function DimmedText({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed" className={classes.effects}>
      {text}
    </Text>
  );
}
