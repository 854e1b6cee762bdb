/** The next automatic follow-up, above the composer: when it comes, the reason, and a button to skip it. */
import { Button, Group, Text, Tooltip } from '@mantine/core';
import { IconBell, IconBellOff } from '@tabler/icons-react';
import { describeDelay, nextLabel } from '../../../outreach/pages/shared/status.tsx';
import { reasonText } from '../../../outreach/reason.ts';
import { type LeadOutreach, readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { useNow } from '../../../ui/clock.ts';
import { formatMinutes } from '../../../ui/duration.ts';
import { formatDateTime } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { keyOf, queryClient, useCall } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import type { Dialogue } from '../../contract.ts';
import { skipPings } from '../../skipFollowUpsContract.ts';
import { storeDialogue } from '../applyLiveEvents.ts';
import { bothClocks } from './Bubble.tsx';
import classes from './chat.module.css';

interface FollowUpStripProps {
  dialogue: Dialogue;
  /** The lead's planned outreach; undefined while loading. */
  outreach: LeadOutreach | undefined;
  leadZone: string;
}

export function FollowUpStrip({ dialogue, outreach, leadZone }: FollowUpStripProps) {
  const change = useCall(skipPings);
  if (outreach?.dialogue_id !== dialogue.id) return null;
  const skipped = outreach.why.code === 'skipped';
  if (!skipped && outreach.next !== 'ping') return null;
  const setSkipped = (skip: boolean) =>
    change.mutate(
      { params: { id: dialogue.id }, body: { skip } },
      {
        onSuccess: async (changed) => {
          storeDialogue(changed);
          await queryClient.invalidateQueries({ queryKey: keyOf(readLeadOutreach) });
        },
        onError: toast.failure,
      },
    );
  return (
    <section className={classes.strip} aria-label={t('Follow-ups')}>
      <div className={classes.stripItem}>
        <Group gap="xs" wrap="nowrap" className={classes.stripText}>
          {skipped ? (
            <IconBellOff size={16} className={classes.fixed} aria-hidden />
          ) : (
            <IconBell size={16} className={classes.fixed} aria-hidden />
          )}
          {skipped ? (
            <Text size="sm" truncate miw={0} title={reasonText(outreach.why)}>
              {t('Follow-ups are skipped')}
            </Text>
          ) : (
            <UpcomingFollowUp outreach={outreach} leadZone={leadZone} />
          )}
        </Group>
        <Button
          size="compact-sm"
          variant="default"
          className={classes.fixed}
          loading={change.isPending}
          onClick={() => setSkipped(!skipped)}
        >
          {skipped ? t('Resume follow-ups') : t('Skip')}
        </Button>
      </div>
    </section>
  );
}

function UpcomingFollowUp({ outreach, leadZone }: { outreach: LeadOutreach; leadZone: string }) {
  const now = useNow(15_000);
  const { at, why } = outreach;
  const label = nextLabel(outreach) ?? '';
  const minutesLeft = at === null ? null : Math.ceil((Date.parse(at) - now) / 60_000);
  const reason = why.code === 'step' ? null : describeDelay(why);
  return (
    <>
      {at === null || minutesLeft === null ? (
        <Text size="sm" fw={600} className={classes.fixed}>
          {label}
        </Text>
      ) : (
        <Tooltip label={bothClocks(at, leadZone)} style={{ whiteSpace: 'pre-line' }}>
          <Text size="sm" fw={600} component="time" dateTime={at} className={classes.fixed}>
            {minutesLeft <= 0
              ? t('{{what}} now', { what: label })
              : minutesLeft < 2 * 1440
                ? t('{{what}} in {{time}}', { what: label, time: formatMinutes(minutesLeft) })
                : t('{{what}} on {{time}}', { what: label, time: formatDateTime(at) })}
          </Text>
        </Tooltip>
      )}
      {reason !== null && (
        <Text size="xs" c="dimmed" truncate miw={0} title={reason}>
          {reason}
        </Text>
      )}
    </>
  );
}
