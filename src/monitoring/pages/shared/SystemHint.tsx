import { Alert, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { type AttentionItem, readAttention } from '../../attentionContract.ts';
import { type FigureKey, type Level, readSystemHealth, type SystemHealth } from '../../contract.ts';
import { figureWords } from '../healthWords.ts';

const REFRESH_MS = 60_000;
/** Number of problems that are named; the others are counted. */
const MOST_NAMED = 3;

interface SystemHintProps {
  /** The company whose `AttentionStrip` is beside the hint: what that already shows is not repeated. */
  companyId: number | null;
}

/** Hint for admins, shown while anything on the System page needs attention: names it and links there. */
export function SystemHint({ companyId }: SystemHintProps) {
  const { operator } = useScope();
  const isAdmin = operator.role === 'admin';
  const { data } = useEndpoint(readSystemHealth, {}, { enabled: isAdmin, refetchInterval: REFRESH_MS });
  const inStrip = useFiguresInStrip(companyId);
  if (!isAdmin || data === undefined || data.level === 'fine') return null;
  const all = attentionOf(data, inStrip);
  if (all.length === 0) return null;
  const isBad = all[0]?.level === 'bad';
  const names = all
    .slice(0, MOST_NAMED)
    .map(({ name }) => name)
    .join(' · ');
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

/** The system's figures that the strip of a company has as entries of its own. */
function useFiguresInStrip(companyId: number | null): ReadonlySet<FigureKey> {
  const query = { company_id: companyId ?? 0 };
  const { data } = useEndpoint(readAttention, { query }, { enabled: companyId !== null });
  return new Set((data?.items ?? []).flatMap((item) => figureOf(item) ?? []));
}

function figureOf({ kind, attention }: AttentionItem): FigureKey | null {
  if (kind === 'failed') return 'messages_failed';
  if (kind === 'unconfirmed') return 'messages_unconfirmed';
  return kind === 'waiting' && attention === 'no_answer' ? 'turns_failed' : null;
}

interface Problem {
  readonly level: Level;
  readonly name: string;
}

/** List everything that is not fine, the worst first, without the figures that are in view elsewhere. */
function attentionOf(
  { figures, nodes, vendors, models, sweeps }: SystemHealth,
  without: ReadonlySet<FigureKey>,
): Problem[] {
  const all: Problem[] = [
    ...figures
      .filter(({ key }) => !without.has(key))
      .map(({ key, level }) => ({ level, name: t(figureWords[key].label) })),
    ...nodes.map(({ name, level }) => ({ level, name: t('Node {{name}}', { name }) })),
    ...vendors.map(({ vendor, key_mask, level }) => ({ level, name: `${vendor} ${key_mask}` })),
    ...models.map(({ company_name, vendor, level }) => ({ level, name: `${vendor}, ${company_name}` })),
    ...sweeps.map(({ name, level }) => ({ level, name: t('Sweep {{name}}', { name }) })),
  ];
  const of = (target: Level) => all.filter(({ level }) => level === target);
  return [...of('bad'), ...of('look')];
}
