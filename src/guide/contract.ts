/** The guide's topics (`docs/guide/*.md`), in order, and the topic that explains each page of the console. */

interface GuideTopic {
  /** The file's name without its extension, and the last part of the address: `/guide/channels`. */
  readonly slug: string;
  /** The file's first heading, English. */
  readonly title: string;
  /** Keys of the console's pages that it explains, each with the heading to open (as in an address; '' is the top). */
  readonly explains: Readonly<Record<string, string>>;
}

export const guideTopics: readonly GuideTopic[] = [
  { slug: 'first-hour', title: 'The first hour', explains: {} },
  {
    slug: 'companies-and-products',
    title: 'Companies and products',
    explains: {
      'crm-companies': 'companies',
      'crm-products': 'products',
      'settings-product': 'product-settings',
      settings: 'product-settings',
    },
  },
  {
    slug: 'channels',
    title: 'Channels',
    explains: { channels: '', 'settings-channel': 'link-a-channel-to-a-product' },
  },
  { slug: 'models', title: 'Models, keys, costs and budget', explains: { 'crm-company-llms': '' } },
  {
    slug: 'prompts',
    title: 'Prompts, groups, prepared messages, documents',
    explains: {
      prompts: '',
      'prompt-detail': 'write-a-prompt',
      'prompt-groups': 'rag-prompts-and-subprompts',
      'prepared-messages': 'prepared-messages',
      'prepared-message-detail': 'prepared-messages',
      'document-prompts': 'documents',
    },
  },
  {
    slug: 'leads',
    title: 'Leads and import',
    explains: {
      'crm-leads': '',
      'lead-detail': 'the-leads-page',
      'crm-lead-contacts': 'contacts',
      contacts: 'contacts',
      'crm-lead-events': 'lead-events',
      'leads-import': 'import-leads-from-a-file',
    },
  },
  { slug: 'inbox', title: 'The inbox', explains: { inbox: '' } },
  {
    slug: 'dialogues',
    title: 'Dialogues and messages',
    explains: {
      'crm-dialogues': '',
      'dialogue-chat': 'the-dialogues-page',
      'crm-messages': 'all-messages',
      'crm-contact-dialogues': '',
      'send-message': 'send-a-message-yourself',
    },
  },
  {
    slug: 'outreach',
    title: 'Outreach: hours, follow-ups, limits, rehearsal',
    explains: { 'settings-schedule': 'working-hours', 'settings-ping': 'follow-ups', rehearsal: 'rehearsal' },
  },
  { slug: 'alerts', title: 'Alerts', explains: {} },
  { slug: 'classification', title: 'Classification and hand-over', explains: {} },
  {
    slug: 'amocrm',
    title: 'amoCRM',
    explains: { 'crm-integrations': '', 'crm-integration': 'one-account', 'settings-integration': 'map-a-pipeline' },
  },
  { slug: 'playground', title: 'The playground', explains: { chatbot: '' } },
  {
    slug: 'studio',
    title: 'Change a prompt without fear',
    explains: {
      studio: 'runs',
      'studio-run': 'runs',
      'studio-cases': 'test-cases',
      'studio-case': 'test-cases',
      'studio-personas': 'simulated-leads',
      'studio-judge': 'the-judge',
    },
  },
  { slug: 'assistant', title: 'The assistant', explains: {} },
  { slug: 'dashboard', title: 'The dashboard', explains: { dashboard: '' } },
  {
    slug: 'insights',
    title: 'Insights',
    explains: { insights: '', 'insights-attempts': 'the-attempts-behind-a-number', 'insights-report': 'weekly-report' },
  },
  {
    slug: 'experiments',
    title: 'Experiments',
    explains: { experiments: '', 'experiment-detail': 'plan-an-experiment' },
  },
  { slug: 'webhooks', title: 'Webhooks', explains: { webhooks: '', webhook: 'what-was-sent' } },
  { slug: 'system', title: 'The system page', explains: { system: '', account: 'two-factor-sign-in' } },
  { slug: 'keyboard-and-lists', title: 'Keyboard and lists', explains: {} },
  { slug: 'api', title: 'The API', explains: {} },
  { slug: 'operations', title: 'Running Rapport', explains: {} },
];

/** Path of the guide: its first page, and the parent of every topic. */
export const GUIDE = '/guide/';

/**
 * Return the address in the guide that explains a page of the console.
 * @param key the page's key
 * @returns an address within this site; the guide's first page for a key that no topic explains
 */
export function guideOf(key: string): string {
  for (const { slug, explains } of guideTopics) {
    const heading = explains[key];
    if (heading !== undefined) return `${GUIDE}${slug}${heading === '' ? '' : `#${heading}`}`;
  }
  return GUIDE;
}
