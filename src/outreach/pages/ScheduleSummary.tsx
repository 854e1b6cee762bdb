import { Alert, Badge, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { isZone } from '../../platform/zones.ts';
import { products } from '../../products/contract.ts';
import { useNow } from '../../ui/clock.ts';
import { browserTimeZone, formatZone } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { zoneName } from '../../ui/timeZones.ts';
import { dayFaults, type ScheduleDays } from '../schedule.ts';
import {
  dayOfMinute,
  describeSpan,
  formatClock,
  minuteOfWeek,
  type Opening,
  openingAt,
  toSpans,
  utcOffsetMinutes,
  weekdayName,
} from './hours.ts';
import classes from './settings.module.css';

export type ScheduleState = 'creating' | 'changed' | 'saved';

const TONES: Readonly<Record<ScheduleState, string>> = { creating: 'accent', changed: 'yellow', saved: 'green' };

function stateLabel(state: ScheduleState): string {
  switch (state) {
    case 'creating':
      return t('Creating new schedule');
    case 'changed':
      return t('Has unsaved changes');
    case 'saved':
      return t('Saved');
    default:
      return state satisfies never;
  }
}

function StateBadge({ state }: { state: ScheduleState }) {
  return (
    <Badge color={TONES[state]} role="status">
      {stateLabel(state)}
    </Badge>
  );
}

interface ScheduleSummaryProps {
  productId: number;
  state: ScheduleState;
  zone: string;
  days: ScheduleDays;
}

/** Describe when messages are sent, on the schedule's clock and on the operator's. */
export function ScheduleSummary({ productId, state, zone, days }: ScheduleSummaryProps) {
  const now = useNow();
  const here = browserTimeZone();
  // The server may know a zone that this browser does not.
  const there = isZone(zone) ? zone : here;
  const ahead = utcOffsetMinutes(here, now) - utcOffsetMinutes(there, now);
  const spans = toSpans(days);
  // Without the hours of an invalid day the others would read as the whole week.
  if (dayFaults(days).length > 0)
    return (
      <Section title={t('Summary')} actions={<StateBadge state={state} />}>
        <Text size="sm" c="dimmed">
          {t('Correct the working days to see when messages are sent.')}
        </Text>
      </Section>
    );
  return (
    <Section title={t('Summary')} actions={<StateBadge state={state} />}>
      <Stack gap="sm">
        {spans.length === 0 ? (
          <Alert color="yellow" icon={<IconAlertTriangle />} title={t('No working hours')}>
            {t('Scheduled messages wait until a day has working hours.')}
          </Alert>
        ) : (
          <>
            <HoursList
              title={t('Messages are sent, {{zone}}', { zone: zoneName(zone) })}
              lines={spans.map(describeSpan)}
            />
            {ahead === 0 ? (
              <Text size="sm" c="dimmed">
                {t('Same as your time.')}
              </Text>
            ) : (
              <HoursList
                title={t('In your time zone ({{zone}})', { zone: formatZone(here) })}
                lines={toSpans(days, ahead).map(describeSpan)}
              />
            )}
            <Text size="sm">{describeNow(openingAt(days, minuteOfWeek(there, now)), ahead)}</Text>
          </>
        )}
        <Text size="sm" c="dimmed">
          {t('Outside these hours, messages wait. For leads with their own time zone, the same hours apply there.')}
        </Text>
        <ReplyHoursNote productId={productId} />
      </Stack>
    </Section>
  );
}

/** Tell whether the bot's replies keep these hours, and where that is set. */
function ReplyHoursNote({ productId }: { productId: number }) {
  const product = useEndpoint(products.get, { params: { id: productId } });
  if (!product.data) return null;
  return (
    <Text size="sm" c="dimmed">
      {product.data.reply_hours === 'any'
        ? t('The bot replies at any time. First messages and follow-ups keep to these hours.')
        : t('The bot’s replies keep to these hours too.')}{' '}
      <PageLink to="settings-product" params={{ tab: 'general' }} inText>
        {t('Change in Product Settings')}
      </PageLink>
    </Text>
  );
}

function HoursList({ title, lines }: { title: string; lines: readonly string[] }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <ul className={classes.lines} aria-label={title}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

function describeNow({ open, minute }: Opening, ahead: number): string {
  if (minute === null) return '';
  const at = (one: number) =>
    open ? formatClock(one) : t('{{day}} at {{time}}', { day: weekdayName(dayOfMinute(one)), time: formatClock(one) });
  const values = { there: at(minute), here: at(minute + ahead) };
  if (ahead === 0) return open ? t('Open now, until {{there}}.', values) : t('Closed now. Opens on {{there}}.', values);
  return open
    ? t('Open now, until {{there}} ({{here}} your time).', values)
    : t('Closed now. Opens on {{there}} ({{here}} your time).', values);
}
