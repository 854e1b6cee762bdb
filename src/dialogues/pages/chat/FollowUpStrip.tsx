/** The follow-up that comes by itself, above the composer: when, why then, and leaving it out. */
import { Button, Group, Text, Tooltip } from '@mantine/core';
import { IconBell, IconBellOff } from '@tabler/icons-react';
import { formatMinutes } from '../../../kit/duration.ts';
import { formatDateTime } from '../../../kit/format.ts';
import { useNow } from '../../../kit/now.ts';
import { keyOf, queryClient, useCall } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { toast } from '../../../kit/toast.ts';
import { comingLabel, whyNotNow } from '../../../outreach/pages/status.tsx';
import { type LeadOutreach, readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { sentenceOf } from '../../../outreach/why.ts';
import type { Dialogue } from '../../contract.ts';
import { skipPings } from '../../skipContract.ts';
import { storeDialogue } from '../live.ts';
import { bothClocks } from './Bubble.tsx';
import classes from './chat.module.css';

interface FollowUpStripProps {
  dialogue: Dialogue;
  /** What comes next for the lead; undefined while it is read. */
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
            <Text size="sm" truncate miw={0} title={sentenceOf(outreach.why)}>
              {t('Follow-ups are skipped')}
            </Text>
          ) : (
            <Coming outreach={outreach} leadZone={leadZone} />
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

function Coming({ outreach, leadZone }: { outreach: LeadOutreach; leadZone: string }) {
  const now = useNow(15_000);
  const { at, why } = outreach;
  const label = comingLabel(outreach) ?? '';
  const left = at === null ? null : Math.ceil((Date.parse(at) - now) / 60_000);
  const reason = why.code === 'step' ? null : whyNotNow(why);
  return (
    <>
      {at === null || left === null ? (
        <Text size="sm" fw={600} className={classes.fixed}>
          {label}
        </Text>
      ) : (
        <Tooltip label={bothClocks(at, leadZone)} style={{ whiteSpace: 'pre-line' }}>
          <Text size="sm" fw={600} component="time" dateTime={at} className={classes.fixed}>
            {left <= 0
              ? t('{{what}} now', { what: label })
              : left < 2 * 1440
                ? t('{{what}} in {{time}}', { what: label, time: formatMinutes(left) })
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
