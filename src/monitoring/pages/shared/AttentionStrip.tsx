/** What of a company needs attention, from the level of a warning up, each with a link to where it is mended. */
import {
  IconAlertTriangle,
  IconCoin,
  IconInbox,
  IconMessageX,
  IconPlugConnectedX,
  IconUsers,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ATTENTION_LINES } from '../../../desk/attentionContract.ts';
import { type Budget, readBudget } from '../../../llm/budgetContract.ts';
import { formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import type { PageParams } from '../../../ui/page.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { type AttentionItem, readAttention } from '../../attentionContract.ts';
import type { Level } from '../../contract.ts';
import classes from './attentionStrip.module.css';

const REFRESH_MS = 30_000;

export function AttentionStrip({ companyId }: { companyId: number }) {
  const { operator } = useScope();
  const { data } = useEndpoint(readAttention, { query: { company_id: companyId } }, { refetchInterval: REFRESH_MS });
  const { data: budget } = useEndpoint(readBudget, { params: { id: companyId } }, { refetchInterval: REFRESH_MS });
  const entries = [...(data?.items ?? []).map((item) => entryOf(item, operator.role)), ...budgetEntries(budget)];
  if (entries.length === 0) return null;
  return (
    <section aria-label={t('Needs attention')}>
      <ul className={classes.strip}>
        {entries.map(({ key, level, icon, text, to, params }) => (
          <li key={key} className={classes.entry} data-level={level}>
            {icon}
            <PageLink to={to} params={params}>
              {text}
            </PageLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Entry {
  readonly key: string;
  readonly level: Level;
  readonly icon: ReactNode;
  readonly text: string;
  readonly to: string;
  readonly params: PageParams;
}

function entryOf({ kind, attention, count, level }: AttentionItem, role: 'admin' | 'member'): Entry {
  const counted = formatNumber(count);
  const failures = (status: string) =>
    role === 'admin' ? { to: 'system', params: { tab: 'messages' } } : { to: 'crm-messages', params: { status } };
  const entry = { key: `${kind} ${attention ?? ''}`, level };
  switch (kind) {
    case 'waiting': {
      const text = `${t(waitingLine(attention))}: ${counted}`;
      return { ...entry, icon: <IconInbox size={16} aria-hidden />, text, to: 'inbox', params: { view: 'needs_me' } };
    }
    case 'late_with_colleagues': {
      const text = t('Overdue with colleagues: {{count}}', { count: counted });
      return { ...entry, icon: <IconUsers size={16} aria-hidden />, text, to: 'inbox', params: { view: 'others' } };
    }
    case 'channels': {
      const text = t('Channels that cannot send: {{count}}', { count: counted });
      return { ...entry, icon: <IconPlugConnectedX size={16} aria-hidden />, text, to: 'channels', params: {} };
    }
    case 'integrations': {
      const text = t('Integrations to reconnect: {{count}}', { count: counted });
      return { ...entry, icon: <IconPlugConnectedX size={16} aria-hidden />, text, to: 'crm-integrations', params: {} };
    }
    case 'failed': {
      const text = t('Messages that failed, in all dialogues: {{count}}', { count: counted });
      return { ...entry, icon: <IconMessageX size={16} aria-hidden />, text, ...failures('error') };
    }
    case 'unconfirmed': {
      const text = t('Messages that may not have arrived, in all dialogues: {{count}}', { count: counted });
      return { ...entry, icon: <IconAlertTriangle size={16} aria-hidden />, text, ...failures('unconfirmed') };
    }
    default:
      return kind satisfies never;
  }
}

/** What waiting dialogues need. Where messages are counted beside them, the line says that these are dialogues. */
function waitingLine(attention: AttentionItem['attention']): string {
  if (attention === null) return 'Needs you';
  if (attention === 'send_failed') return 'Dialogues that need you after a failed message';
  if (attention === 'unconfirmed') return 'Dialogues that need you after a message that may not have arrived';
  return ATTENTION_LINES[attention];
}

/** The levels of a budget follow its own states. */
function budgetEntries(budget: Budget | undefined): Entry[] {
  if (budget?.state !== 'warning' && budget?.state !== 'spent') return [];
  const isSpent = budget.state === 'spent';
  const text = isSpent ? t('Budget spent: replies pause') : t('80 % of the budget is spent');
  const icon = <IconCoin size={16} aria-hidden />;
  return [{ key: 'budget', level: isSpent ? 'bad' : 'look', icon, text, to: 'crm-company-llms', params: {} }];
}
