/** The messages of a rehearsal, in the order in which they are sent. */
import { Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { dateTimeInSentence, formatDateTime, formatExact, formatZone } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { reasonText } from '../reason.ts';
import type { RehearsedMessage } from '../rehearsalContract.ts';
import classes from './rehearsal.module.css';
import { KindBadge } from './shared/status.tsx';

/** Longest text shown in full; longer texts open on demand. */
const MAX_COLLAPSED_CHARS = 160;

export function RehearsalList({ items }: { items: readonly RehearsedMessage[] }) {
  return (
    <ol className={classes.list} aria-label={t('Messages')}>
      {items.map((item) => (
        <li key={`${item.lead_id} ${item.kind} ${item.step} ${item.at}`} className={classes.item}>
          <Times at={item.at} zone={item.zone} />
          <div>
            <Group gap="xs" mb={4}>
              <Text span size="sm" fw={600} className={classes.name}>
                <PageLink to="lead-detail" params={{ leadId: item.lead_id, leadName: item.lead_name }}>
                  {item.lead_name}
                </PageLink>
              </Text>
              <KindBadge kind={item.kind} step={item.step} />
              {item.channel !== null && (
                <Text span size="xs" c="dimmed">
                  {item.channel}
                </Text>
              )}
            </Group>
            <MessageText text={item.text} />
            <Text size="xs" c="dimmed" mt={4}>
              {reasonOf(item)}
            </Text>
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Describe why a message is sent at its time. For a scheduled message somebody chose the time. */
function reasonOf({ kind, why }: RehearsedMessage): string {
  if (kind === 'scheduled') return t('Scheduled for this time');
  if (why.code === 'step') return t('Sent when the delay of its step is over');
  if (why.code === 'now') return t('Already due');
  return reasonText(why);
}

function Times({ at, zone }: { at: string; zone: string | null }) {
  return (
    <div>
      <Text size="sm" fw={500} component="time" dateTime={at} title={formatExact(at)}>
        {formatDateTime(at)}
      </Text>
      <Text size="xs" c="dimmed" {...(zone === null ? {} : { title: formatExact(at, zone) })}>
        {zone === null
          ? t('The lead’s time zone is unknown')
          : t('Lead: {{time}} {{zone}}', { time: dateTimeInSentence(at, zone), zone: formatZone(zone, at) })}
      </Text>
    </div>
  );
}

function MessageText({ text }: { text: RehearsedMessage['text'] }) {
  const [expanded, setExpanded] = useState(false);
  if (text.kind === 'failed') {
    return (
      <Group gap={4} wrap="nowrap" align="flex-start" c="var(--mantine-color-error)">
        <IconAlertCircle size={16} aria-hidden style={{ flex: 'none', marginTop: 2 }} />
        <Text size="sm" className={classes.said}>
          <PlainText text={text.text} />
        </Text>
      </Group>
    );
  }
  const isLong = text.text.length > MAX_COLLAPSED_CHARS || text.text.split('\n').length > 2;
  const clamp = isLong && !expanded ? { lineClamp: 2 } : {};
  return (
    <div className={text.kind === 'prompt' ? classes.prompt : undefined}>
      {text.kind === 'prompt' && (
        <Group gap="xs" mb={4}>
          <Badge color="grape">{t('Prompt')}</Badge>
          <Text span size="xs" c="dimmed">
            {t('A model writes the message when it is due, with “{{name}}”:', { name: text.name ?? '' })}
          </Text>
        </Group>
      )}
      <Text size="sm" className={classes.said} {...clamp}>
        <PlainText text={text.text} />
      </Text>
      {isLong && (
        <UnstyledButton
          fz="xs"
          c="var(--mantine-color-anchor)"
          aria-expanded={expanded}
          onClick={() => setExpanded(!expanded)}
        >
          {expanded ? t('Show less') : t('Show all')}
        </UnstyledButton>
      )}
    </div>
  );
}
