import { Alert, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { type Level, readSystemHealth, type SystemHealth } from '../../contract.ts';
import { figureWords } from '../healthWords.ts';

const REFRESH_MS = 60_000;
/** Number of problems that are named; the others are counted. */
const MOST_NAMED = 3;

/** Hint for admins, shown while anything on the System page needs attention: names it and links there. */
export function SystemHint() {
  const { operator } = useScope();
  const isAdmin = operator.role === 'admin';
  const { data } = useEndpoint(readSystemHealth, {}, { enabled: isAdmin, refetchInterval: REFRESH_MS });
  if (!isAdmin || data === undefined || data.level === 'fine') return null;
  const isBad = data.level === 'bad';
  const all = attentionOf(data);
  const names = all.slice(0, MOST_NAMED).join(' · ');
  const others = all.length - MOST_NAMED;
  return (
    <Alert color={isBad ? 'red' : 'yellow'} icon={<IconAlertTriangle />} p="xs" role="status">
      <Group gap="xs">
        <Text size="sm">
          {isBad
            ? t('The system needs attention now: {{names}}', { names })
            : t('Needs attention: {{names}}', { names })}
          {others > 0 && t(' and {{count}} more', { count: others })}
        </Text>
        <Text size="sm">
          <PageLink to="system">{t('Open System')}</PageLink>
        </Text>
      </Group>
    </Alert>
  );
}

/** List the names of everything that is not fine, the worst first. */
function attentionOf({ figures, nodes, vendors, models, sweeps }: SystemHealth): string[] {
  const all: { level: Level; name: string }[] = [
    ...figures.map(({ key, level }) => ({ level, name: t(figureWords[key].label) })),
    ...nodes.map(({ name, level }) => ({ level, name: t('Node {{name}}', { name }) })),
    ...vendors.map(({ vendor, key_mask, level }) => ({ level, name: `${vendor} ${key_mask}` })),
    ...models.map(({ company_name, vendor, level }) => ({ level, name: `${vendor}, ${company_name}` })),
    ...sweeps.map(({ name, level }) => ({ level, name: t('Sweep {{name}}', { name }) })),
  ];
  const of = (target: Level) => all.filter(({ level }) => level === target).map(({ name }) => name);
  return [...of('bad'), ...of('look')];
}
