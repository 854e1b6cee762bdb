/** Label, unit and advice of each figure, in English; translated with `t`. */
import type { PageParams } from '../../ui/page.ts';
import type { FigureKey } from '../contract.ts';

type Unit = 'count' | 'seconds' | 'milliseconds' | 'percent';

interface Words {
  readonly label: string;
  readonly unit: Unit;
  /** What to do if the figure is not fine. */
  readonly advice?: string;
  readonly link?: { readonly page: string; readonly params?: PageParams; readonly label: string };
}

const FAILURES_LINK = { page: 'system', label: 'Show these messages' };
const OVERLOAD_ADVICE =
  'If the vendors below are fine, the nodes are overloaded: raise RAPPORT_CONCURRENCY or start another node.';

export const figureWords: Readonly<Record<FigureKey, Words>> = {
  database_ms: {
    label: 'Database response time',
    unit: 'milliseconds',
    advice: 'The machine is busy or the network is slow: check its CPU and disk.',
  },
  database_connections: {
    label: 'Connections in use',
    unit: 'percent',
    advice: 'Stop nodes that are not needed, or raise max_connections of PostgreSQL.',
  },
  database_transaction_seconds: {
    label: 'Oldest transaction',
    unit: 'seconds',
    advice: 'Something keeps rows locked: find it in pg_stat_activity. A backup or a migration may take this long.',
  },
  migrations_missing: {
    label: 'Migrations missing',
    unit: 'count',
    advice: 'The database is older than the program: restart this node to migrate it.',
  },
  sweep_seconds: {
    label: 'Slowest sweep, last run',
    unit: 'seconds',
    advice: 'Due work is not found. This node’s log says why the sweep fails.',
  },
  messages_due: { label: 'Messages due', unit: 'count' },
  messages_due_seconds: {
    label: 'Oldest message due',
    unit: 'seconds',
    advice: 'A channel is paused, an account has no valid key, or a vendor does not answer: see Vendors.',
  },
  messages_sending: { label: 'Messages being sent', unit: 'count' },
  messages_failed: {
    label: 'Messages failed',
    unit: 'count',
    advice: 'Fix the cause, then resend them, one by one or all.',
    link: { ...FAILURES_LINK, params: { tab: 'messages', state: 'error' } },
  },
  messages_unconfirmed: {
    label: 'Messages unconfirmed',
    unit: 'count',
    advice: 'Check the phone: mark messages that arrived as sent, and retry the others.',
    link: { ...FAILURES_LINK, params: { tab: 'messages', state: 'unconfirmed' } },
  },
  messages_refused: {
    label: 'Messages refused for now',
    unit: 'count',
    advice: 'They are retried automatically. Their reasons say what is wrong.',
    link: { ...FAILURES_LINK, params: { tab: 'messages', state: 'refused' } },
  },
  inbox_open: { label: 'Webhooks to process', unit: 'count' },
  inbox_open_seconds: { label: 'Oldest webhook to process', unit: 'seconds', advice: OVERLOAD_ADVICE },
  inbox_held: {
    label: 'Statuses of unknown messages',
    unit: 'count',
    advice: 'Another system uses the same account. Nothing is lost.',
  },
  turns_due: { label: 'Answers due', unit: 'count' },
  turns_due_seconds: {
    label: 'Oldest answer due',
    unit: 'seconds',
    advice: 'A model is slow or refuses (see Models), or the nodes are overloaded.',
  },
  turns_failed: {
    label: 'Dialogues without an answer',
    unit: 'count',
    advice: 'Fix the model’s key, credit or limits, then retry them.',
    link: { page: 'crm-dialogues', params: { unanswered: 'true' }, label: 'Show them for the chosen product' },
  },
  classifications_due: { label: 'Classifications due', unit: 'count' },
  classifications_failed: {
    label: 'Dialogues not classified',
    unit: 'count',
    advice: 'Check the classification prompt and the model, then retry them.',
    link: { page: 'crm-dialogues', params: { unclassified: 'true' }, label: 'Show them for the chosen product' },
  },
  outreach_due: { label: 'Leads to plan', unit: 'count' },
  outreach_due_seconds: { label: 'Oldest lead to plan', unit: 'seconds', advice: OVERLOAD_ADVICE },
  outreach_line: { label: 'Leads queued for a first message', unit: 'count' },
  crm_wishes: { label: 'Cards to write', unit: 'count' },
  crm_wishes_seconds: {
    label: 'Oldest card to write',
    unit: 'seconds',
    advice: 'The CRM does not answer, or its account needs to be reconnected.',
    link: { page: 'crm-integrations', label: 'Integrations of the chosen company' },
  },
  crm_refused: {
    label: 'Cards refused by the CRM',
    unit: 'count',
    advice: 'The integration’s page says why. Fix it and sync there.',
    link: { page: 'crm-integrations', label: 'Integrations of the chosen company' },
  },
  crm_changes: { label: 'Cards to read', unit: 'count' },
  crm_changes_seconds: {
    label: 'Oldest card to read',
    unit: 'seconds',
    advice: 'The CRM does not answer, or its account needs to be reconnected.',
  },
  opt_outs_due: { label: 'Opt-outs to apply to other leads', unit: 'count' },
  opt_outs_due_seconds: {
    label: 'Oldest opt-out to apply',
    unit: 'seconds',
    advice: 'Another lead of the person cannot be changed. It is retried; the log says why it fails.',
  },
  sockets: { label: 'Consoles connected', unit: 'count' },
};

export const figureGroups: readonly { readonly title: string; readonly keys: readonly FigureKey[] }[] = [
  {
    title: 'Messages',
    keys: [
      'messages_due',
      'messages_due_seconds',
      'messages_sending',
      'messages_failed',
      'messages_unconfirmed',
      'messages_refused',
    ],
  },
  { title: 'Incoming', keys: ['inbox_open', 'inbox_open_seconds', 'inbox_held'] },
  {
    title: 'Answers',
    keys: ['turns_due', 'turns_due_seconds', 'turns_failed', 'classifications_due', 'classifications_failed'],
  },
  {
    title: 'Outreach',
    keys: ['outreach_due', 'outreach_due_seconds', 'outreach_line', 'opt_outs_due', 'opt_outs_due_seconds'],
  },
  { title: 'CRM', keys: ['crm_wishes', 'crm_wishes_seconds', 'crm_refused', 'crm_changes', 'crm_changes_seconds'] },
  {
    title: 'Database',
    keys: ['database_ms', 'database_connections', 'database_transaction_seconds', 'migrations_missing'],
  },
  { title: 'This node', keys: ['sweep_seconds', 'sockets'] },
];
