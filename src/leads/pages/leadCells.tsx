/** Cells of the list of leads. */
import { Badge, Group, Text } from '@mantine/core';
import { describeDelay, nextLabel } from '../../outreach/pages/shared/status.tsx';
import { reason } from '../../outreach/reason.ts';
import { DualTimestamp } from '../../ui/DualTimestamp.tsx';
import { formatExact } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { Tip } from '../../ui/Tip.tsx';
import type { Lead } from '../contract.ts';

/** Tags shown; the others are counted. Two do not fit into the column of a small laptop. */
const SHOWN_TAGS = 1;

export function TagBadges({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return <>–</>;
  const rest = tags.length - SHOWN_TAGS;
  return (
    <Group gap={4} wrap="nowrap" title={tags.join(', ')}>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <Badge key={tag} color="gray" style={{ minWidth: 0 }}>
          {tag}
        </Badge>
      ))}
      {rest > 0 && (
        <Text span size="xs" c="dimmed">
          +{rest}
        </Text>
      )}
    </Group>
  );
}

/** The newest message of a lead: who wrote it and its text; when, on hover. A time beside it would leave it no room. */
export function LastMessage({ lead }: { lead: Lead }) {
  const { last_message: text, last_message_at: at, last_message_by: by } = lead;
  if (!at) return <>–</>;
  return (
    <Text span inherit truncate title={`${text ?? ''}\n${formatExact(at)}`} display="block">
      {by === 'us' && (
        <Text span inherit c="dimmed">
          {t('Us: ')}
        </Text>
      )}
      {text}
    </Text>
  );
}

/** What outreach does next for a lead, and why not now. */
export function NextActionCell({ lead }: { lead: Lead }) {
  const parsed = reason.safeParse(lead.next_reason);
  if (!parsed.success) return <>–</>;
  const why = describeDelay(parsed.data);
  const label = nextLabel({ next: lead.next_action ?? null, why: parsed.data });
  if (label === null)
    return (
      <Text span inherit c="dimmed" truncate title={why} display="block">
        {why}
      </Text>
    );
  return (
    <Tip label={why}>
      <Group gap={0} wrap="nowrap">
        <Text span inherit truncate miw={0}>
          {label}
        </Text>
        {lead.next_action_at && (
          <Text span inherit flex="none">
            {', '}
            <DualTimestamp iso={lead.next_action_at} zone={lead.timezone} />
          </Text>
        )}
      </Group>
    </Tip>
  );
}
