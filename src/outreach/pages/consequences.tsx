/** What settings on the page would do to the coming days, before they are saved. */
import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../kit/api.ts';
import { formatNumber } from '../../kit/format.ts';
import { PageLink } from '../../kit/PageLink.tsx';
import { Section } from '../../kit/Section.tsx';
import { t } from '../../kit/t.ts';
import { type Proposal, readConsequences } from '../rehearsalContract.ts';
import { type Effect, effectsOf } from './effects.ts';
import classes from './rehearsal.module.css';

const PERIOD_DAYS = 30;
/** So long nothing is typed before it is asked. */
const PAUSE_MS = 600;

/** What a change would do, asked at once; none where that cannot be told. */
export async function effectsOfChange(productId: number, proposal: Proposal): Promise<Effect[]> {
  try {
    const body = { product_id: productId, days: PERIOD_DAYS, proposal };
    return effectsOf(await call(readConsequences, { body }));
  } catch {
    return [];
  }
}

interface ConsequencesProps {
  productId: number;
  /** What is on the page and not stored, whether it could be or not; null: nothing is. */
  proposal: Proposal | null;
}

export function Consequences({ productId, proposal }: ConsequencesProps) {
  const wanted = proposal && JSON.stringify(proposal);
  const [asked] = useDebouncedValue(wanted, PAUSE_MS);
  const body = asked === null ? null : { product_id: productId, days: PERIOD_DAYS, proposal: JSON.parse(asked) };
  const sound = body === null ? null : readConsequences.body.safeParse(body);
  const read = useQuery({
    queryKey: ['consequences', productId, asked],
    queryFn: ({ signal }) => {
      if (!sound?.success) throw new Error('Nothing to ask');
      return call(readConsequences, { body: sound.data, signal });
    },
    enabled: sound?.success === true,
    placeholderData: keepPreviousData,
    // What goes out changes with every message: an answer is good for as long as it is looked at.
    gcTime: 0,
    staleTime: 0,
  });
  const waits = wanted !== null && (wanted !== asked || read.isFetching);
  return (
    <Section
      title={t('What this would change')}
      actions={
        <Text size="sm">
          <PageLink to="rehearsal">{t('Rehearsal')}</PageLink>
        </Text>
      }
    >
      <div role="status" aria-busy={waits} className={waits ? classes.stale : undefined}>
        {wanted === null ? (
          <Quiet text={t('A change shows here what it would do to the coming 30 days, before it is saved.')} />
        ) : sound?.success === false ? (
          <Quiet text={t('Once the settings are complete, this shows what they would do.')} />
        ) : read.error && !waits ? (
          <Quiet text={t('What it would do could not be worked out: {{reason}}', { reason: read.error.message })} />
        ) : read.data === undefined ? (
          <Quiet text={t('Rehearsing the coming 30 days...')} />
        ) : (
          <>
            <ul className={classes.effects}>
              {effectsOf(read.data).map(({ text, isWarning }) => (
                <li key={text} className={isWarning ? classes.warning : undefined}>
                  {isWarning && <IconAlertTriangle size={16} aria-hidden />}
                  <Text span size="sm" inherit={isWarning}>
                    {text}
                  </Text>
                </li>
              ))}
            </ul>
            <Text size="xs" c="dimmed">
              {t('{{before}} messages in 30 days as it is, {{after}} with the change, if nobody answers.', {
                before: formatNumber(read.data.before),
                after: formatNumber(read.data.after),
              })}
            </Text>
          </>
        )}
      </div>
    </Section>
  );
}

function Quiet({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed" className={classes.effects}>
      {text}
    </Text>
  );
}
