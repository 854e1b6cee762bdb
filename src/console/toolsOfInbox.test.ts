/** What the assistant can do of the inbox, hand-over, alerts, tags and views: every endpoint, by tool or with the reason. */
import { expect, it } from 'vitest';
import { viewTools } from '../companies/pages/shared/viewActions.ts';
import * as companyViews from '../companies/viewContract.ts';
import * as answering from '../conversations/answerContract.ts';
import { setOwner } from '../conversations/contract.ts';
import * as handOver from '../conversations/handOverContract.ts';
import { dialogueTools, openDialogueTools } from '../conversations/pages/dialogueTools.ts';
import { handOverTools } from '../conversations/pages/handOverTools.ts';
import * as followUps from '../conversations/skipFollowUpsContract.ts';
import * as stageDetection from '../conversations/stageDetectionContract.ts';
import * as alerts from '../desk/alertsContract.ts';
import * as desk from '../desk/contract.ts';
import { alertTools } from '../desk/pages/shared/alertTools.ts';
import { deskListTools, openDeskTools } from '../desk/pages/shared/deskTools.ts';
import * as bulk from '../leads/bulkContract.ts';
import * as leadLists from '../leads/listContract.ts';
import { importTools } from '../leads/pages/import/tools.ts';
import { leadListTools, leadPageTools } from '../leads/pages/shared/leadTools.ts';
import { pauseOutreach, resumeOutreach } from '../products/contract.ts';
import { consoleTools } from './consoleTools.ts';

/** A tool by its name, or why the assistant has none. */
type Way = { readonly tool: string } | { readonly none: string };
const by = (tool: string): Way => ({ tool });
const none = (reason: string): Way => ({ none: reason });

const ONE_BY_ONE = none('The assistant acts on one row at a time, and the operator confirms each.');
const CHOICES = none('What tools choose from: they read it themselves.');
const BROWSER = none('Only the browser can do it; its settings are changed by change_alert_settings.');

const WAYS: Readonly<Record<string, Way>> = {
  listInbox: none('Rows and counts are in the context of the page; show_inbox changes the view.'),
  countInbox: none('Rows and counts are in the context of the page.'),
  listColleagues: CHOICES,
  assignDialogue: by('assign'),
  snoozeDialogue: by('snooze'),
  markDialogueDone: by('mark_done'),
  assignDialogues: ONE_BY_ONE,
  snoozeDialogues: ONE_BY_ONE,
  markDialoguesDone: ONE_BY_ONE,
  reopenDialogues: none('It undoes mark_done.'),
  setDialogueReturn: by('set_return_time'),
  listDialogueNotes: none('No model reads notes, but the bot of a product that allows it.'),
  addDialogueNote: by('add_note'),
  suggestReply: by('suggest_reply'),
  reportPresence: none('The page reports it by itself.'),
  setDialogueOwner: by('set_owner'),
  answerDialogueAgain: by('retry_answer'),
  answerAllDialogues: ONE_BY_ONE,
  summarizeDialogue: by('summarize_dialogue'),
  retryHandOver: by('retry_hand_over'),
  skipPings: by('skip_follow_ups'),
  turnOnStageDetection: by('turn_on_stage_detection'),
  pauseOutreach: by('pause_outreach'),
  resumeOutreach: by('resume_outreach'),
  getAlertSettings: by('show_alert_settings'),
  changeAlertSettings: by('change_alert_settings'),
  listAlerts: none('What waits is in the inbox: show_inbox.'),
  subscribeToPushes: BROWSER,
  unsubscribeFromPushes: BROWSER,
  sendTestNotification: none('Only the operator can see whether it has arrived.'),
  listSavedViews: by('show_saved_views'),
  createSavedView: by('save_view'),
  updateSavedView: by('change_view'),
  deleteSavedView: by('delete_view'),
  listLeadFacets: CHOICES,
  listLeadOwners: CHOICES,
  listLeadIds: ONE_BY_ONE,
  countBulkLeadAction: ONE_BY_ONE,
  runBulkLeadAction: ONE_BY_ONE,
};

const TOOLS = new Set(
  [
    ...deskListTools(),
    ...openDeskTools(1),
    ...handOverTools(1),
    ...dialogueTools(),
    ...openDialogueTools(1),
    ...leadListTools(),
    ...leadPageTools(1),
    ...alertTools(),
    ...viewTools({ list: 'crm-leads', params: {}, open: () => undefined }, 1),
  ].map(({ tool }) => tool.name),
);
const EVERYWHERE = consoleTools(
  { go: () => undefined },
  {
    operator: { id: 1, login: 'ada', role: 'admin' },
    company: { id: 1, name: 'A' },
    product: { id: 1, name: 'B', timezone: 'UTC' },
  },
);
for (const { name } of [...EVERYWHERE.tools, ...importTools(null, 1).tools]) TOOLS.add(name);

const isEndpoint = (value: unknown): value is { operation: string } =>
  typeof value === 'object' && value !== null && 'operation' in value && typeof value.operation === 'string';
const ENDPOINTS = [
  ...[desk, handOver, followUps, stageDetection, alerts, companyViews, bulk, leadLists, answering].flatMap((contract) =>
    Object.values(contract),
  ),
  setOwner,
  pauseOutreach,
  resumeOutreach,
].filter(isEndpoint);

it('has a tool for every endpoint, or a reason why not', () => {
  expect(ENDPOINTS.map(({ operation }) => operation).sort()).toEqual(Object.keys(WAYS).sort());
  const missing = Object.values(WAYS).flatMap((way) => ('tool' in way && !TOOLS.has(way.tool) ? [way.tool] : []));
  expect(missing).toEqual([]);
});

it('changes tags, owner and tag rules of leads, and pauses outreach', () => {
  for (const name of ['change_lead_tags', 'set_lead_owner', 'set_tag_rules', 'pause_outreach', 'resume_outreach'])
    expect(TOOLS).toContain(name);
});
