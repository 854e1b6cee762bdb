import { Alert, Button, Group, Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { IconChartBar, IconFileDiff, IconHandStop } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { stageLabel } from '../../leads/pages/shared/stage.tsx';
import { AttentionStrip } from '../../monitoring/pages/shared/AttentionStrip.tsx';
import { SystemHint } from '../../monitoring/pages/shared/SystemHint.tsx';
import { zoneTimeName } from '../../platform/zones.ts';
import { DayBars } from '../../ui/DayBars.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { dayPresets } from '../../ui/filter.ts';
import { formatDollars, formatNumber, today } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLink } from '../../ui/PageLink.tsx';
import { type PageParams, usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { useScope } from '../../ui/scope.ts';
import { type Dashboard, readDashboard } from '../contract.ts';
import classes from './dashboard.module.css';
import { dashboardContext, listLinkOf } from './figures.ts';

const SpendingDialog = lazy(async () => ({
  default: (await import('../../llm/pages/shared/SpendingDialog.tsx')).SpendingDialog,
}));
const DiffTester = lazy(async () => ({ default: (await import('./DiffTester.tsx')).DiffTester }));

/** Milliseconds between reloads. Events trigger updates by themselves; the change of days does not. */
const REFRESH_MS = 300_000;

/** Show the figures of the chosen product. */
export default function DashboardPage() {
  const page = usePage();
  const { company, product } = useScope();
  const [testing, setTesting] = useState(false);
  const read = useEndpoint(
    readDashboard,
    { query: { product_id: product?.id ?? 0 } },
    { enabled: product !== null, refetchInterval: REFRESH_MS },
  );
  usePageContext(dashboardContext(page, product, read.data));
  return (
    <PageFrame
      title={t('Dashboard')}
      actions={
        <Button size="xs" variant="default" leftSection={<IconFileDiff size="1rem" />} onClick={() => setTesting(true)}>
          {t('Test text diff')}
        </Button>
      }
    >
      {product === null ? (
        <Notice title={t('No Product Selected')} text={t('Choose a company and a product to see its figures.')} />
      ) : read.error ? (
        <Failure error={read.error} onRetry={() => read.refetch()} />
      ) : (
        <Stack gap="md">
          {company !== null && <AttentionStrip companyId={company.id} />}
          <SystemHint companyId={company?.id ?? null} />
          {read.data?.stopped.map(({ channel_id, name, reason }) => (
            <Alert
              key={channel_id}
              color="red"
              icon={<IconHandStop />}
              title={t('{{name}} sends no first messages', { name })}
            >
              {t('Stopped automatically: {{reason}}. Replies are still sent.', { reason })}{' '}
              <PageLink to="channels">{t('Channels')}</PageLink>
            </Alert>
          ))}
          <Tiles figures={read.data} />
          {read.data ? (
            <Costs figures={read.data} companyId={company?.id ?? null} />
          ) : (
            <Skeleton height="1lh" width="40%" />
          )}
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
            {read.data ? <Funnel stages={read.data.stages} zone={read.data.timezone} /> : <Skeleton height="19rem" />}
            {read.data ? <PerDay days={read.data.days} zone={read.data.timezone} /> : <Skeleton height="19rem" />}
          </SimpleGrid>
        </Stack>
      )}
      <Suspense>{testing && <DiffTester onClose={() => setTesting(false)} />}</Suspense>
    </PageFrame>
  );
}

/** The tiles. A list opened from a tile has as many rows as the tile says. */
function Tiles({ figures }: { figures: Dashboard | undefined }) {
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      <Tile
        label={t('Users')}
        value={figures?.users}
        {...listLinkOf('users', figures)}
        note={t('leads of the product')}
      />
      <Tile
        label={t('Messages')}
        value={figures?.messages}
        {...listLinkOf('messages', figures)}
        note={figures && t('{{count}} in 24 hours', { count: figures.messages_today })}
      />
      <Tile
        label={t('Growth')}
        value={figures?.new_leads}
        sign="+"
        {...listLinkOf('growth', figures)}
        note={
          figures && t('new in 7 days, {{before}} in the 7 before', { before: formatNumber(figures.new_leads_before) })
        }
      />
      <Tile
        label={t('Active')}
        value={figures?.active}
        {...listLinkOf('active', figures)}
        note={t('dialogues with a message in 7 days')}
      />
    </SimpleGrid>
  );
}

interface TileProps {
  label: string;
  value: number | undefined;
  sign?: string;
  note?: string | undefined;
  to: string;
  params?: PageParams;
}

function Tile({ label, value, sign = '', note, to, params = {} }: TileProps) {
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <Text size="sm" c="dimmed">
        <PageLink to={to} params={params}>
          {label}
        </PageLink>
      </Text>
      {value === undefined ? (
        <Skeleton height="1.875rem" width="40%" />
      ) : (
        <Text fz="xl" fw={600} className={classes.figure} data-figure>
          {value > 0 ? sign : ''}
          {formatNumber(value)}
        </Text>
      )}
      <Text size="xs" c="dimmed" className={classes.note}>
        {note}
      </Text>
    </Paper>
  );
}

function Funnel({ stages, zone }: { stages: Dashboard['stages']; zone: string }) {
  const most = Math.max(1, ...stages.map((one) => one.count));
  return (
    <Section title={t('Stages')}>
      <table className={classes.funnel}>
        <tbody>
          {stages.map(({ stage, count }) => (
            <tr key={stage}>
              <th scope="row">
                <PageLink to="crm-leads" params={{ stage }}>
                  {stageLabel(stage)}
                </PageLink>
              </th>
              <td className={classes.track} aria-hidden>
                <div className={classes.bar} style={{ width: `${(100 * count) / most}%` }} />
              </td>
              <td className={classes.count}>{formatNumber(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Group gap="xs" mt="sm">
        <Text size="sm" c="dimmed">
          {t('Opted out')}
        </Text>
        {dayPresets(today(zone)).map(({ label, from, to }) => (
          <Text key={label} size="sm">
            <PageLink to="crm-leads" params={{ opted_out_from: from, opted_out_to: to }}>
              {label}
            </PageLink>
          </Text>
        ))}
      </Group>
    </Section>
  );
}

function PerDay({ days, zone }: { days: Dashboard['days']; zone: string }) {
  return (
    <Section
      title={t('Messages per day')}
      actions={
        <Text size="xs" c="dimmed">
          {t('Days in {{zone}}', { zone: zoneTimeName(zone) })}
        </Text>
      }
    >
      <DayBars
        caption={t('Messages per day')}
        series={[t('From leads'), t('From us')]}
        days={days.map(({ day, user, bot }) => ({ day, values: [user, bot] }))}
        zone={zone}
        format={formatNumber}
        formatHighest={(highest) => t('up to {{highest}} on a day', { highest })}
      />
    </Section>
  );
}

/** Show what models cost the product. A button compares the models by what they cost the company. */
function Costs({ figures, companyId }: { figures: Dashboard; companyId: number | null }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Group gap="xs">
      <Text size="sm">
        <PageLink to="crm-company-llms">{t('Models')}</PageLink>
      </Text>
      <Text size="sm" c="dimmed" className={classes.figure}>
        {t('{{today}} today, {{month}} in 30 days', {
          today: formatDollars(figures.cost_today),
          month: formatDollars(figures.cost_30_days),
        })}
      </Text>
      {companyId !== null && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconChartBar size="1rem" />}
          onClick={() => setOpen(true)}
        >
          {t('Spending by model')}
        </Button>
      )}
      <Suspense>
        {isOpen && companyId !== null && <SpendingDialog companyId={companyId} onClose={() => setOpen(false)} />}
      </Suspense>
    </Group>
  );
}
