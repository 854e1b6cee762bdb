/** Rules for the assistant's tools of all pages. */
import { expect, test, vi } from 'vitest';
import { channelTools } from '../channels/pages/channelTools.ts';
import { linkContext } from '../channels/pages/linkContext.ts';
import { companies } from '../companies/contract.ts';
import { viewTools } from '../companies/pages/shared/viewActions.ts';
import { dialogueTools, openDialogueTools } from '../conversations/pages/dialogueTools.ts';
import { handOverTools } from '../conversations/pages/handOverTools.ts';
import { cancelTool, messageTools } from '../conversations/pages/messageTools.ts';
import { sendTools } from '../conversations/pages/sendTools.ts';
import { integrationContext } from '../crm/pages/integrationContext.ts';
import { draftFromStored } from '../crm/pages/integrationDraft.ts';
import { alertTools } from '../desk/pages/shared/alertTools.ts';
import { deskListTools, openDeskTools } from '../desk/pages/shared/deskTools.ts';
import { importTools } from '../leads/pages/import/tools.ts';
import { editingTools, leadListTools, leadPageTools } from '../leads/pages/shared/leadTools.ts';
import { credentialTools } from '../llm/pages/credentialTools.ts';
import { auditTools } from '../monitoring/pages/auditTools.ts';
import { deliveryFailureTools } from '../monitoring/pages/deliveryFailureTools.ts';
import { healthTools } from '../monitoring/pages/healthTools.ts';
import { figureTools } from '../outcomes/pages/figures.ts';
import { insightsTools } from '../outcomes/pages/insights/insightsContext.ts';
import { reportContext } from '../outcomes/pages/insights/reportContext.ts';
import { pingContext } from '../outreach/pages/pingContext.ts';
import { rehearsalContext } from '../outreach/pages/rehearsalContext.ts';
import { rehearsalState } from '../outreach/pages/rehearsalUrl.ts';
import { scheduleContext } from '../outreach/pages/scheduleContext.ts';
import { explainLeadTool } from '../outreach/pages/shared/explainTools.ts';
import { DEFAULT_PRODUCT_CONFIG } from '../products/contract.ts';
import { defaultModels, settingsOf } from '../products/pages/settings.ts';
import { settingsTools } from '../products/pages/settingsTools.ts';
import { preparedTools } from '../prompts/pages/preparedTools.ts';
import { promptFieldsTool, promptTools } from '../prompts/pages/shared/promptTools.ts';
import { askTool, choosePromptTool } from '../studio/pages/playgroundTools.ts';
import { formTools } from '../ui/formTools.ts';
import { listTools, rowTools } from '../ui/listTools.ts';
import { checkPageContext, type PageContext } from '../ui/pageContext.ts';
import { pageTools, type ToolWithHandler } from '../ui/pageTool.ts';
import { deliveryTools, webhookTools } from '../webhooks/pages/webhookTools.ts';
import { consoleTools } from './consoleTools.ts';

/** Stub for every action of the tools. These tests must never trigger one. */
const never = vi.fn(() => Promise.reject(new Error('It was done')));
const undo = () => ({ unchanged: never, run: never });
const NOWHERE = { current: null };

const lists = (...more: readonly ToolWithHandler[]) =>
  pageTools(
    ...listTools({
      entity: 'leads',
      shape: { orderBy: ['id'], searchable: true },
      filters: [{ kind: 'days', name: 'created', label: 'Created' }],
      params: {},
      show: never,
    }),
    ...rowTools({ singular: 'lead', read: never, nameOf: () => '', open: () => void never(), remove: never }),
    ...more,
  );
const creating = { stored: null, draft: null, state: 'creating', changed: false, store: never } as const;
const choice = { rows: [], failed: false, retry: () => undefined };
const plain = settingsOf({
  name: 'Kitchens',
  is_active: true,
  timezone: 'UTC',
  config: DEFAULT_PRODUCT_CONFIG,
  reply_hours: 'working',
  target_minutes: 15,
  return_to_bot_hours: null,
  hand_over: true,
  hand_over_text: '',
  round_robin: false,
  bot_reads_notes: false,
});
const text = { view: NOWHERE, saved: null, savesDraft: false, changed: true, replacing: null, save: never };

const PAGES: Readonly<Record<string, Pick<PageContext, 'tools' | 'handlers'>>> = {
  'settings-product': settingsTools({
    settings: plain,
    saved: plain,
    defaults: defaultModels(undefined),
    errorsOf: () => [],
    blockReason: null,
    view: NOWHERE,
    save: never,
    reset: never,
    deleteConfig: never,
    undo,
  }),
  'settings-channel': linkContext(1, [], { save: never, remove: never, refresh: never }),
  'settings-integration': integrationContext(
    { stored: null, draft: draftFromStored(null), changed: true, missing: {}, faults: {}, view: NOWHERE, undo },
    { name: 'Demo', directory: undefined },
    { save: never, reset: never },
  ),
  'settings-schedule': scheduleContext(
    { ...creating, newZone: 'UTC', faults: [], remove: never, view: NOWHERE, undo },
    { save: never, reset: never },
  ),
  'settings-ping': pingContext(
    { ...creating, faults: [], view: NOWHERE, undo },
    { prompt: choice, prepared_message: choice, documentTypes: [] },
    { save: never, reset: never },
  ),
  'prompt-detail': pageTools(promptFieldsTool(NOWHERE), ...promptTools(text)),
  chatbot: pageTools(
    ...promptTools(text),
    choosePromptTool(never),
    askTool(() => void never()),
  ),
  'prepared-message-detail': preparedTools({ ...text, form: NOWHERE }),
  'crm-leads': lists(...leadListTools()),
  'lead-detail': pageTools(...leadPageTools(1), ...editingTools(1)),
  'leads-import': importTools(null, 1),
  'crm-lead-events': pageTools(explainLeadTool(null)),
  'crm-dialogues': lists(...dialogueTools()),
  'dialogue-chat': pageTools(
    ...openDialogueTools(1),
    ...openDeskTools(1),
    ...handOverTools(1),
    ...leadPageTools(1),
    ...messageTools(),
    cancelTool(),
  ),
  inbox: pageTools(...deskListTools()),
  account: pageTools(...alertTools()),
  'crm-messages': lists(...messageTools()),
  'send-message': pageTools(...sendTools(NOWHERE, { dialogueId: 1, send: never })),
  channels: lists(...channelTools(true)),
  'crm-company-llms': lists(...credentialTools()),
  webhooks: lists(...webhookTools()),
  webhook: lists(...webhookTools(), ...deliveryTools()),
  'crm-companies': lists(
    ...formTools({
      singular: 'company',
      crud: companies,
      fields: [{ kind: 'text', name: 'name', label: 'Name' }],
      preset: {},
      nameOf: ({ name }) => name,
      refresh: never,
    }),
  ),
  rehearsal: rehearsalContext({
    productId: 1,
    state: rehearsalState({}),
    rehearsal: undefined,
    missing: undefined,
    show: () => void never(),
  }),
  system: pageTools(...healthTools()),
  'system messages': lists(...deliveryFailureTools()),
  'saved views': lists(...viewTools({ list: 'crm-leads', params: {}, open: () => void never() }, 1)),
  'system audit': lists(...auditTools()),
  dashboard: figureTools({ go: () => void never() }, undefined),
  insights: insightsTools({
    page: { go: () => void never(), setParams: () => void never(), setView: () => void never() },
    query: { product_id: 1 },
    filters: [],
  }),
  'insights-report': reportContext({
    product: null,
    week: '2026-11-16',
    figures: undefined,
    open: () => void never(),
    print: () => void never(),
  }),
};

const EVERYWHERE = consoleTools(
  { go: () => void never() },
  {
    operator: { id: 1, login: 'ada', role: 'admin' },
    company: { id: 1, name: 'A' },
    product: { id: 1, name: 'B', timezone: 'UTC' },
  },
);

test.each(Object.entries(PAGES))('declares valid tools on %s', async (_page, { tools, handlers = {} }) => {
  expect(checkPageContext({ description: 'A page', summary: '', tools, handlers })).toBeNull();
  const all = [...tools, ...EVERYWHERE.tools];
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.length).toBeLessThanOrEqual(100);
  for (const { name, description, parameters, confirm, irreversible } of tools) {
    expect(name).toMatch(/^[a-z][a-z_]{2,39}$/);
    expect(description.length, name).toBeGreaterThan(10);
    expect(description.length, name).toBeLessThan(4000);
    expect(parameters, name).toMatchObject({ type: 'object', additionalProperties: false });
    expect(irreversible === undefined || confirm === true, name).toBe(true);
    // Unknown arguments are refused, not ignored.
    await expect(handlers[name]?.call({ nonsense: 1 }), name).rejects.toThrow('The arguments do not fit');
  }
  expect(never).not.toHaveBeenCalled();
});

test('requires confirmation for every changing tool', () => {
  const looking = /^(?:show|open|find|why|runs|check|test|choose|messages_on|write_to)_?/;
  const all = Object.values(PAGES).flatMap(({ tools }) => tools);
  for (const { name, confirm } of all) expect(confirm !== true, name).toBe(looking.test(name));
  expect(all.filter(({ confirm }) => confirm === true).length).toBeGreaterThan(40);
});

test('has every required tool of the settings pages', () => {
  const names = Object.values(PAGES).flatMap(({ tools }) => tools.map(({ name }) => name));
  expect(names).toEqual(
    expect.arrayContaining([
      'save_product_settings',
      'reset_product_settings',
      'delete_product_settings',
      'create_product_channel',
      'delete_product_channel',
      'save_integration_config',
      'reset_integration_config',
      'add_pipeline',
      'create_schedule',
      'delete_schedule',
      'add_ping_step',
      'replace_ping_config',
      'create_ping_config',
    ]),
  );
});
