/** Page of the coming days if nobody replied: a calendar, a list, and the leads that get nothing. */
import { Badge, Button, CloseButton, Group, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Failure } from '../../ui/Failure.tsx';
import { Filters } from '../../ui/Filters.tsx';
import type { Filter } from '../../ui/filter.ts';
import { formatCalendarDay, formatDate, formatNumber, formatTime } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLink } from '../../ui/PageLink.tsx';
import { Pager, rowsCaption } from '../../ui/Pager.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { useProductZone, useScope } from '../../ui/scope.ts';
import { MAX_LEADS, type Rehearsal, readRehearsal, rehearsalKinds } from '../rehearsalContract.ts';
import { sumDays, toCalendar } from './calendar.ts';
import { type MissingSetup, useMissingSetup } from './missingSetup.ts';
import { RehearsalCalendar } from './RehearsalCalendar.tsx';
import { RehearsalList } from './RehearsalList.tsx';
import { RehearsalSilent } from './RehearsalSilent.tsx';
import { rehearsalContext, type ShowInput } from './rehearsalContext.ts';
import { PERIODS, rehearsalParams, rehearsalState } from './rehearsalUrl.ts';
import { kindStyles } from './shared/status.tsx';

export default function RehearsalPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const { params, setParams } = usePage();
  const state = rehearsalState(params);
  const { days, day, kinds, page, size } = state;
  const read = useEndpoint(
    readRehearsal,
    {
      query: {
        product_id: productId,
        days,
        day,
        kind: kinds.length > 0 ? [...kinds] : undefined,
        page: page + 1,
        limit: size,
      },
    },
    // Operators often open this page just after changing a setting.
    { enabled: product !== null, keepPrevious: true, staleTime: 0 },
  );
  const missing = useMissingSetup(productId);
  const change = (next: Partial<typeof state>) => setParams(rehearsalParams({ ...state, page: 0, ...next }));
  const show = (request: ShowInput) =>
    change({ days: request.days ?? days, day: request.day, kinds: request.kinds ?? [] });
  usePageContext(rehearsalContext({ productId, state, rehearsal: read.data, missing, show }));
  return (
    <PageFrame
      title={t('Rehearsal')}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('Period')}
            value={String(days)}
            data={PERIODS.map((period) => ({
              value: String(period),
              label: t('{{count}} days', { count: period }),
            }))}
            onChange={(value) => change({ days: Number(value), day: undefined })}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size="1rem" />}
            loading={read.isFetching}
            onClick={() => void read.refetch()}
          >
            {t('Refresh')}
          </Button>
        </>
      }
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('Every automatic message, if no one replies. Nothing is sent, and no model is called.')}
        </Text>
        {read.error && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data === undefined || missing === undefined ? (
          !read.error && <RehearsalSkeleton />
        ) : (
          <RehearsalResult
            rehearsal={read.data}
            missing={missing}
            state={state}
            stale={read.isPlaceholderData}
            onChange={change}
          />
        )}
      </Stack>
    </PageFrame>
  );
}

function RehearsalSkeleton() {
  return (
    <>
      <Text size="xs" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: t('rehearsal') })}
      </Text>
      <Skeleton height="24rem" />
      <Skeleton height="12rem" />
    </>
  );
}

type UrlState = ReturnType<typeof rehearsalState>;

interface RehearsalResultProps {
  rehearsal: Rehearsal;
  missing: readonly MissingSetup[];
  state: UrlState;
  /** True while the previous answer is shown and the next one is loading. */
  stale: boolean;
  onChange: (next: Partial<UrlState>) => void;
}

function RehearsalResult({ rehearsal, missing, state, stale, onChange }: RehearsalResultProps) {
  const days = useMemo(() => toCalendar(rehearsal), [rehearsal]);
  const totals = sumDays(rehearsal.days);
  if (totals.messages + totals.expired === 0 && (missing.length > 0 || rehearsal.leads === 0)) {
    return (
      <>
        <EmptyRehearsal leads={rehearsal.leads} missing={missing} />
        {rehearsal.silent.length > 0 && <RehearsalSilent silent={rehearsal.silent} />}
      </>
    );
  }
  return (
    <>
      <Group gap="xs" role="status">
        <Text size="sm" fw={600}>
          {t('{{count}} messages from {{from}} to {{to}}', {
            defaultValue_one: '{{count}} message from {{from}} to {{to}}',
            count: totals.messages < 1000 ? totals.messages : formatNumber(totals.messages),
            from: `${formatDate(rehearsal.from)}, ${formatTime(rehearsal.from)}`,
            to: `${formatDate(rehearsal.to)}, ${formatTime(rehearsal.to)}`,
          })}
        </Text>
        {rehearsalKinds.map((kind) => (
          <Badge key={kind} color={kindStyles[kind].tone}>
            {t('{{what}}: {{count}}', { what: t(kindStyles[kind].label), count: formatNumber(totals[kind]) })}
          </Badge>
        ))}
        {totals.expired > 0 && (
          <Badge color="gray">
            {t('{{what}}: {{count}}', {
              what: t(kindStyles.expired.label),
              count: formatNumber(totals.expired),
            })}
          </Badge>
        )}
      </Group>
      {missing.map((one) => (
        <Group key={one.sentence} gap="0 var(--mantine-spacing-sm)">
          <Text size="sm">{one.sentence}</Text>
          <Text size="sm">
            <PageLink to={one.page} params={one.params}>
              {one.label}
            </PageLink>
          </Text>
        </Group>
      ))}
      {rehearsal.cut && (
        <Text size="sm" role="alert">
          {t('Only the first {{count}} leads are rehearsed.', { count: formatNumber(MAX_LEADS) })}
        </Text>
      )}
      <RehearsalCalendar
        days={days}
        chosen={state.day ?? null}
        onChoose={(day) => onChange({ day: day ?? undefined })}
      />
      <RehearsalSilent silent={rehearsal.silent} />
      <RehearsalMessages rehearsal={rehearsal} state={state} stale={stale} onChange={onChange} />
    </>
  );
}

function RehearsalMessages({ rehearsal, state, stale, onChange }: Omit<RehearsalResultProps, 'missing'>) {
  const { day, kinds, page, size } = state;
  const zone = useProductZone();
  const title = day === undefined ? t('Messages') : formatCalendarDay(day, zone);
  const filters = useMemo<Filter[]>(
    () => [
      {
        kind: 'options',
        name: 'kind',
        label: t('Kind'),
        options: rehearsalKinds.map((kind) => ({ value: kind, label: t(kindStyles[kind].label) })),
      },
    ],
    [],
  );
  return (
    <Section
      title={title}
      actions={
        <>
          {day !== undefined && (
            <Group gap={4}>
              <Text size="xs">{t('One day')}</Text>
              <CloseButton size="sm" aria-label={t('All days')} onClick={() => onChange({ day: undefined })} />
            </Group>
          )}
          <Filters
            filters={filters}
            values={{ kind: kinds }}
            onChange={(values) => onChange({ kinds: rehearsalKinds.filter((kind) => values['kind']?.includes(kind)) })}
          />
        </>
      }
    >
      <div style={{ opacity: stale ? 0.6 : 1 }}>
        {rehearsal.items.length === 0 ? (
          <Text size="sm" c="dimmed">
            {day === undefined ? t('No messages found') : t('No messages on this day.')}
          </Text>
        ) : (
          <RehearsalList items={rehearsal.items} />
        )}
      </div>
      {rehearsal.total > 0 && (
        <Pager
          caption={rowsCaption({ total: rehearsal.total, page, size, plural: t('messages') })}
          total={rehearsal.total}
          page={page}
          size={size}
          onPage={(next) => onChange({ page: next })}
          onSize={(next) => onChange({ size: next })}
        />
      )}
    </Section>
  );
}

/** Show that nothing would be sent, and the one thing to do next. */
function EmptyRehearsal({ leads, missing }: { leads: number; missing: readonly MissingSetup[] }) {
  const { go } = usePage();
  return (
    <Notice
      title={t('No messages planned')}
      text={[
        ...missing.map(({ sentence: what }) => what),
        ...(leads === 0 ? [t('There are no active leads to contact.')] : []),
      ].join(' ')}
      action={
        <Group gap="xs" mt="xs" justify="center">
          {missing.map(({ page, params, label }, index) => (
            <Button key={label} variant={index === 0 ? 'filled' : 'default'} onClick={() => go(page, params)}>
              {label}
            </Button>
          ))}
          {leads === 0 && (
            <Button variant={missing.length === 0 ? 'filled' : 'default'} onClick={() => go('crm-leads')}>
              {t('Go to leads')}
            </Button>
          )}
        </Group>
      }
    />
  );
}
