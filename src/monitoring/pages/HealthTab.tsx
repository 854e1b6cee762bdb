import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { readJobQueues } from '../../jobs/contract.ts';
import { Failure } from '../../ui/Failure.tsx';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLink } from '../../ui/PageLink.tsx';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { type FigureKey, type Level, readSystemHealth, type SystemHealth } from '../contract.ts';
import { formatBytes, formatMillis, formatSeconds } from './amounts.ts';
import { describeHealth, healthTools } from './healthTools.ts';
import { figureGroups, figureWords } from './healthWords.ts';
import { LevelBadge } from './level.tsx';
import { PeopleToCheck } from './PeopleToCheck.tsx';
import { SystemTabs } from './SystemTabs.tsx';
import classes from './system.module.css';
import { WithoutOwner } from './WithoutOwner.tsx';

const REFRESH_MS = 10_000;

/** Health of the installation: each figure with a plain label and advice. */
export function HealthTab() {
  const read = useEndpoint(readSystemHealth, {}, { refetchInterval: REFRESH_MS });
  usePageContext({
    description: t('The health of the whole installation: nodes, database, queues, vendors, models.'),
    summary: JSON.stringify(read.data ? describeHealth(read.data) : { state: 'loading' }),
    ...pageTools(...healthTools()),
  });
  return (
    <PageFrame title={t('System')} fill aside={read.data && <LevelBadge level={read.data.level} />}>
      <SystemTabs />
      {/* What scrolls has to be reached by keyboard */}
      <div className={classes.health} role="region" aria-label={t('Health')} tabIndex={0}>
        {read.error && <Failure error={read.error} onRetry={() => read.refetch()} />}
        {read.data ? <Health health={read.data} /> : !read.error && <Loading />}
      </div>
    </PageFrame>
  );
}

function Loading() {
  return (
    <Stack gap="xs">
      <Text size="sm" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: t('figures') })}
      </Text>
      <Skeleton height="12rem" />
      <Skeleton height="12rem" />
    </Stack>
  );
}

function Health({ health }: { health: SystemHealth }) {
  const { figures, nodes, database, sweeps, vendors, models, without_owner: withoutOwner } = health;
  const valueOf = new Map(figures.map((figure) => [figure.key, figure]));
  const bad = figures.filter(({ level }) => level === 'bad');
  return (
    <Stack gap="md">
      {bad.length > 0 && (
        <Alert color="red" icon={<IconAlertTriangle />} title={t('Needs attention now')}>
          {bad.map(({ key }) => (
            <Text key={key} size="sm">
              {t(figureWords[key].label)}
            </Text>
          ))}
        </Alert>
      )}
      <div className={classes.grid}>
        {withoutOwner.length > 0 && <WithoutOwner open={withoutOwner} />}
        <PeopleToCheck />
        {figureGroups.map(({ title, keys }) => (
          <Section key={title} title={t(title)}>
            <ul className={classes.rows}>
              {keys.map((key) => {
                const figure = valueOf.get(key);
                return figure && <FigureRow key={key} name={key} value={figure.value} level={figure.level} />;
              })}
              {title === 'Database' && (
                <Row name={t('Size')} value={formatBytes(database.size_bytes)}>
                  {database.missing.join(', ')}
                </Row>
              )}
            </ul>
          </Section>
        ))}
        <Nodes nodes={nodes} />
        <Vendors vendors={vendors} />
        <Models models={models} />
        <Sweeps sweeps={sweeps} />
        <Concurrency />
      </div>
      <Text size="xs" c="dimmed">
        {t('As of')} <Timestamp iso={health.at} absolute />
      </Text>
    </Stack>
  );
}

interface RowProps {
  name: ReactNode;
  value: ReactNode;
  level?: Level;
  children?: ReactNode;
}

function Row({ name, value, level, children }: RowProps) {
  return (
    <li className={classes.row}>
      <span>{name}</span>
      <span className={classes.value}>
        {value}
        {level !== undefined && level !== 'fine' && <LevelBadge level={level} />}
      </span>
      {children !== undefined && children !== null && children !== '' && <div className={classes.note}>{children}</div>}
    </li>
  );
}

function FigureRow({ name, value, level }: { name: FigureKey; value: number; level: Level }) {
  const { label, unit, advice, link } = figureWords[name];
  const formats = {
    count: () => formatNumber(Math.round(value)),
    seconds: () => formatSeconds(value),
    milliseconds: () => formatMillis(value),
    percent: () => `${formatNumber(Math.round(value))} %`,
  }[unit]();
  return (
    <Row name={t(label)} value={formats} level={level}>
      {level !== 'fine' && advice !== undefined && (
        <>
          <div>{t(advice)}</div>
          {link && (
            <div>
              <PageLink to={link.page} {...(link.params ? { params: link.params } : {})}>
                {t(link.label)}
              </PageLink>
            </div>
          )}
        </>
      )}
    </Row>
  );
}

function Nodes({ nodes }: Pick<SystemHealth, 'nodes'>) {
  return (
    <Section title={t('Nodes')}>
      <ul className={classes.rows}>
        {nodes.map((node) => (
          <Row
            key={node.life}
            name={node.here ? t('{{name}} (this one)', { name: node.name }) : node.name}
            value={
              node.ended_at === null ? (
                t('heartbeat {{age}} ago', { age: formatSeconds(node.beat_seconds) })
              ) : (
                <Group gap={4}>
                  {t('ended')} <Timestamp iso={node.ended_at} />
                </Group>
              )
            }
            level={node.level}
          >
            {t('{{roles}}, version {{version}}, since', {
              roles: node.roles.join(' + '),
              version: node.version ?? t('unknown'),
            })}{' '}
            <Timestamp iso={node.started_at} />
            {node.level !== 'fine' && (
              <div>{t('Other nodes take over its work if its heartbeat stays missing. Restart it if it hangs.')}</div>
            )}
          </Row>
        ))}
      </ul>
    </Section>
  );
}

function Vendors({ vendors }: Pick<SystemHealth, 'vendors'>) {
  return (
    <Section title={t('Vendors')} actions={<PageLink to="channels">{t('Channels')}</PageLink>}>
      {vendors.length === 0 && <Nothing text={t('No vendor account is connected.')} />}
      <ul className={classes.rows}>
        {vendors.map((one) => (
          <Row
            key={one.account_id}
            name={`${one.vendor} ${one.key_mask}`}
            value={t('{{count}} channels', {
              count: one.channels,
              defaultValue_one: '{{count}} channel',
            })}
            level={one.level}
          >
            <div>
              {t('Last accepted')} <Timestamp iso={one.last_accepted_at} />
              {', '}
              {t('{{count}} not acknowledged', { count: one.unacknowledged })}
            </div>
            {one.last_error_at !== null && (
              <div>
                {t('Last error')} <Timestamp iso={one.last_error_at} />: {one.last_error ?? t('no reason given')}
              </div>
            )}
            {one.rest_reason !== null && (
              <div>
                {one.rest_reason}
                {one.resting_until !== null && (
                  <>
                    {', '}
                    {t('paused until')} <Timestamp iso={one.resting_until} absolute />
                  </>
                )}
              </div>
            )}
          </Row>
        ))}
      </ul>
    </Section>
  );
}

function Models({ models }: Pick<SystemHealth, 'models'>) {
  return (
    <Section title={t('Models, last hour')}>
      {models.length === 0 && <Nothing text={t('No model was called in the last hour.')} />}
      <ul className={classes.rows}>
        {models.map((one) => (
          <Row
            key={`${one.company_id} ${one.vendor}`}
            name={`${one.company_name}: ${one.vendor}`}
            value={t('{{count}} calls', { count: one.calls, defaultValue_one: '{{count}} call' })}
            level={one.level}
          >
            {t('{{errors}} failed, median {{median}}, 95 % within {{p95}}', {
              errors: formatNumber(one.errors),
              median: formatMillis(one.median_ms),
              p95: formatMillis(one.p95_ms),
            })}
          </Row>
        ))}
      </ul>
    </Section>
  );
}

function Sweeps({ sweeps }: Pick<SystemHealth, 'sweeps'>) {
  return (
    <Section title={t('Sweeps of this node')}>
      {sweeps.length === 0 && <Nothing text={t('This node is no worker.')} />}
      <ul className={classes.rows}>
        {sweeps.map(({ name, seconds, error, level }) => (
          <Row key={name} name={name} value={t('{{age}} ago', { age: formatSeconds(seconds) })} level={level}>
            {error}
          </Row>
        ))}
      </ul>
    </Section>
  );
}

/** Calls of this node that run or wait for their turn, by model and messenger. Most of the time there are none. */
function Concurrency() {
  const { data } = useEndpoint(readJobQueues, {}, { refetchInterval: REFRESH_MS });
  if (!data || data.lanes.length === 0) return null;
  return (
    <Section title={t('Concurrency')}>
      <ul className={classes.rows}>
        {data.lanes.map(({ name, running, waiting }) => (
          <Row
            key={name}
            name={name}
            value={t('{{running}} of {{width}} running, {{waiting}} waiting', {
              running: formatNumber(running),
              width: formatNumber(data.width),
              waiting: formatNumber(waiting),
            })}
          />
        ))}
      </ul>
    </Section>
  );
}

function Nothing({ text }: { text: string }) {
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}
