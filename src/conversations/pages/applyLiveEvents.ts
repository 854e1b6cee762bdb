/** Applies live events to cached queries: visible rows change in place; lists are refetched at a limited rate. */

import { channels } from '../../channels/contract.ts';
import { readLeadCard } from '../../crm/amocrmContract.ts';
import { listNotes } from '../../desk/contract.ts';
import { contacts, eventsOfLead, leadEvents, leads } from '../../leads/contract.ts';
import { type LiveEvent, liveEvent, streamLiveEvents } from '../../live/contract.ts';
import { readBudget } from '../../llm/budgetContract.ts';
import { costOfDialogue, costOfLead } from '../../llm/costContract.ts';
import { readDashboard } from '../../outcomes/contract.ts';
import { experiments, readExperimentResults } from '../../outcomes/experimentContract.ts';
import { readLeadOutreach } from '../../outreach/rehearsalContract.ts';
import type { AnswerOf } from '../../platform/contract.ts';
import { endpointUrl } from '../../platform/endpointUrl.ts';
import { products } from '../../products/contract.ts';
import {
  checkPromptVersion,
  promptOfProduct,
  prompts,
  promptsInUse,
  publicationsOfPrompt,
  versionsOfPrompt,
} from '../../prompts/contract.ts';
import { listJudgePairs, readCalibration } from '../../studio/judgeContract.ts';
import { listStudioResults, listStudioRuns, readStudioRun } from '../../studio/runContract.ts';
import { type LiveState, useLive } from '../../ui/live.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { classificationResults } from '../classificationConfigContract.ts';
import { readDialogueClassification } from '../classificationContract.ts';
import {
  type Dialogue,
  dialogues,
  leadOfDialogue,
  type Message,
  messages,
  readThread,
  viewDialogue,
} from '../contract.ts';
import { applyPresence } from './chat/presence.ts';
import { isOutdated, removeMessage, upsertMessage } from './chat/thread.ts';
import { updateThread } from './chat/threadQuery.ts';

/** Shortest interval between refetches of lists: a busy product sends dozens of events a second. */
const LISTS_REFETCH_MS = 2000;

/** Dashboard figures count whole tables, so they are refetched less often. */
const DASHBOARD_REFETCH_MS = 5000;

/** A spent budget may be shown a little later. */
const BUDGET_REFETCH_MS = 15_000;
/** Only one lead's outreach is refetched, and only while it is on screen. */
const OUTREACH_REFETCH_MS = 500;
/** Outreach is paused and resumed seldom, and all operators must see it. */
const PRODUCT_REFETCH_MS = 0;

const NOTES_REFETCH_MS = 100;

/** Queries that show a lead, its contacts or its name. */
const LEAD_ENDPOINTS = [
  leads.list,
  leads.get,
  readLeadCard,
  eventsOfLead,
  leadEvents,
  contacts.list,
  contacts.get,
  leadOfDialogue,
  viewDialogue,
  readDialogueClassification,
  classificationResults.list,
  dialogues.list,
  messages.list,
  readLeadOutreach,
];

/** Queries that show a prompt, what is live of it, or which prompts are in use. */
const PROMPT_ENDPOINTS = [
  prompts.list,
  promptOfProduct,
  promptsInUse,
  versionsOfPrompt,
  publicationsOfPrompt,
  checkPromptVersion,
];

/** Queries that a missed event may have made stale. */
const RESYNC_ENDPOINTS = [
  ...LEAD_ENDPOINTS,
  ...PROMPT_ENDPOINTS,
  prompts.get,
  readThread,
  listNotes,
  channels.list,
  readDashboard,
  products.get,
  experiments.list,
];

/**
 * Keep everything cached about a product's leads and dialogues up to date while the caller is mounted. The shell
 * follows the chosen product for all pages; a page that shows another product's rows follows that one too.
 */
export function useDialogueLive(productId: number | null): LiveState {
  return useLive(productId === null ? null : endpointUrl(streamLiveEvents, {}, { product_id: productId }), onEvent);
}

function onEvent(event: unknown): void {
  const parsed = liveEvent.safeParse(event);
  // A server newer than this page may send events it does not know.
  if (parsed.success) applyLiveEvent(parsed.data);
}

function applyLiveEvent(event: LiveEvent): void {
  switch (event.type) {
    case 'message':
      return applyMessage(event.message);
    case 'message.removed':
      updateThread(event.dialogue_id, (thread) => removeMessage(thread, event.id));
      refetchSoon(keyOf(readDashboard), DASHBOARD_REFETCH_MS);
      refetchSoon(keyOf(readLeadOutreach), OUTREACH_REFETCH_MS);
      return refetchSoon(keyOf(messages.list));
    case 'dialogue':
      return storeDialogue(event.dialogue);
    case 'lead':
      refetchSoon(keyOf(readDashboard), DASHBOARD_REFETCH_MS);
      for (const endpoint of LEAD_ENDPOINTS) refetchSoon(keyOf(endpoint));
      return;
    case 'channel':
      refetchSoon(keyOf(channels.list));
      return refetchSoon(keyOf(viewDialogue));
    case 'note':
      return refetchSoon(keyOf(listNotes, { params: { id: event.dialogue_id } }), NOTES_REFETCH_MS);
    case 'presence':
      return applyPresence(event.dialogue_id, event.operator, event.state);
    case 'inbox':
    case 'inbox.removed':
    case 'alert':
    case 'alert.ended':
      // The inbox applies them.
      return;
    case 'product':
      refetchSoon(keyOf(products.get, { params: { id: event.id } }), PRODUCT_REFETCH_MS);
      return refetchSoon(keyOf(readLeadOutreach), OUTREACH_REFETCH_MS);
    case 'prompt':
      refetchSoon(keyOf(prompts.get, { params: { id: event.id } }));
      for (const endpoint of PROMPT_ENDPOINTS) refetchSoon(keyOf(endpoint));
      return;
    case 'experiment':
      for (const endpoint of [experiments.get, readExperimentResults])
        refetchSoon(keyOf(endpoint, { params: { id: event.id } }));
      return refetchSoon(keyOf(experiments.list));
    case 'studio_run':
      for (const endpoint of [readStudioRun, listStudioResults])
        refetchSoon(keyOf(endpoint, { params: { id: event.id } }));
      return refetchSoon(keyOf(listStudioRuns));
    case 'studio_pair':
      refetchSoon(keyOf(listJudgePairs));
      return refetchSoon(keyOf(readCalibration));
    case 'resync':
      for (const endpoint of RESYNC_ENDPOINTS) {
        void queryClient.invalidateQueries({ queryKey: keyOf(endpoint) });
      }
      return;
    default:
      return event satisfies never;
  }
}

function applyMessage(message: Message): void {
  updateThread(message.dialogue_id, (thread) => upsertMessage(thread, message));
  queryClient.setQueriesData<AnswerOf<typeof messages.list>>({ queryKey: keyOf(messages.list) }, (list) =>
    replaceRow(list, message, isOutdated),
  );
  refetchSoon(keyOf(messages.list));
  refetchSoon(keyOf(readLeadOutreach), OUTREACH_REFETCH_MS);
  refetchSoon(keyOf(readDashboard), DASHBOARD_REFETCH_MS);
  // A dialogue in which nothing was sent or received is listed with its failed message.
  if (message.status === 'error' || message.status === 'unconfirmed') refetchSoon(keyOf(dialogues.list));
}

/** Store the server's current version of a dialogue in every query that shows it. */
export function storeDialogue(dialogue: Dialogue): void {
  queryClient.setQueryData<AnswerOf<typeof viewDialogue>>(
    keyOf(viewDialogue, { params: { id: dialogue.id } }),
    (view) => view && { ...view, dialogue },
  );
  queryClient.setQueriesData<AnswerOf<typeof dialogues.list>>({ queryKey: keyOf(dialogues.list) }, (list) =>
    replaceRow(list, dialogue, () => false),
  );
  refetchSoon(keyOf(dialogues.list));
  // Its hand-over changes with the dialogue, and is not in the event.
  refetchSoon(keyOf(viewDialogue));
  refetchSoon(keyOf(readDialogueClassification));
  refetchCosts();
  refetchSoon(keyOf(readLeadOutreach), OUTREACH_REFETCH_MS);
}

/** Refetch costs: each answer of a model changes a dialogue and costs money. */
function refetchCosts(): void {
  refetchSoon(keyOf(costOfDialogue));
  refetchSoon(keyOf(costOfLead));
  refetchSoon(keyOf(readBudget), BUDGET_REFETCH_MS);
}

function replaceRow<R extends { id: number }, L extends { items: R[] }>(
  list: L | undefined,
  row: R,
  isOutdatedRow: (existing: R, incoming: R) => boolean,
): L | undefined {
  const at = list?.items.findIndex((item) => item.id === row.id) ?? -1;
  const existing = list?.items[at];
  if (!list || !existing || isOutdatedRow(existing, row)) return list;
  // Keep the fields that only lists have.
  return { ...list, items: list.items.with(at, { ...existing, ...row }) };
}

const scheduledRefetches = new Set<string>();

function refetchSoon(key: readonly unknown[], afterMs = LISTS_REFETCH_MS): void {
  const name = JSON.stringify(key);
  if (scheduledRefetches.has(name)) return;
  scheduledRefetches.add(name);
  setTimeout(() => {
    scheduledRefetches.delete(name);
    void queryClient.invalidateQueries({ queryKey: key });
  }, afterMs);
}
