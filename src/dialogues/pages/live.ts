/** What a live event does to cached queries: what is on screen changes in place, lists are read again, not too often. */

import { channels } from '../../channels/contract.ts';
import { classificationResults } from '../../chatbot/contract.ts';
import { readLeadCard } from '../../crm/amocrmContract.ts';
import { addressOf } from '../../kit/api.ts';
import { type LiveState, useLive } from '../../kit/live.ts';
import { keyOf, queryClient } from '../../kit/query.ts';
import { contacts, eventsOfLead, leadEvents, leads } from '../../leads/contract.ts';
import { costOfDialogue, costOfLead } from '../../llm/costContract.ts';
import { readBudget } from '../../llm/moneyContract.ts';
import { readLeadOutreach } from '../../outreach/rehearsalContract.ts';
import type { AnswerOf } from '../../platform/contract.ts';
import { readDashboard } from '../../reports/contract.ts';
import { classificationOfDialogue } from '../classificationContract.ts';
import {
  type Dialogue,
  dialogues,
  leadOfDialogue,
  type Message,
  messages,
  readThread,
  viewDialogue,
} from '../contract.ts';
import { type LiveEvent, live, liveEvent } from '../liveContract.ts';
import { dropMessage, isOutdated, putMessage } from './chat/thread.ts';
import { tellThread } from './chat/threadQuery.ts';

/** A busy product says dozens of things a second; its lists are read again this often at most. */
const LISTS_AGAIN_AFTER_MS = 2000;

/** Figures count whole tables, so less often. */
const FIGURES_AGAIN_AFTER_MS = 5000;

/** That a budget runs out may be told a little later. */
const BUDGET_AGAIN_AFTER_MS = 15_000;
/** One lead's, and only while it is on the screen. */
const NEXT_AGAIN_AFTER_MS = 500;

/** What shows a lead, its contacts or its name. */
const OF_A_LEAD = [
  leads.list,
  leads.get,
  readLeadCard,
  eventsOfLead,
  leadEvents,
  contacts.list,
  contacts.get,
  leadOfDialogue,
  viewDialogue,
  classificationOfDialogue,
  classificationResults.list,
  dialogues.list,
  messages.list,
  readLeadOutreach,
];

/** What a missed event may have changed. */
const READ_AGAIN_AFTER_A_BREAK = [...OF_A_LEAD, readThread, channels.list, readDashboard];

/**
 * Keeps everything cached about a product's leads and dialogues up to date while the caller is mounted. The shell
 * follows the chosen product for all pages; a page that shows another product's rows follows that one too.
 */
export function useDialogueLive(productId: number | null): LiveState {
  return useLive(productId === null ? null : addressOf(live, {}, { product_id: productId }), hear);
}

function hear(event: unknown): void {
  const known = liveEvent.safeParse(event);
  // A server newer than this page may say what it does not know yet.
  if (known.success) applyLive(known.data);
}

function applyLive(event: LiveEvent): void {
  switch (event.type) {
    case 'message':
      return applyMessage(event.message);
    case 'message.removed':
      tellThread(event.dialogue_id, (thread) => dropMessage(thread, event.id));
      readAgainSoon(keyOf(readDashboard), FIGURES_AGAIN_AFTER_MS);
      readAgainSoon(keyOf(readLeadOutreach), NEXT_AGAIN_AFTER_MS);
      return readAgainSoon(keyOf(messages.list));
    case 'dialogue':
      return storeDialogue(event.dialogue);
    case 'lead':
      readAgainSoon(keyOf(readDashboard), FIGURES_AGAIN_AFTER_MS);
      for (const endpoint of OF_A_LEAD) readAgainSoon(keyOf(endpoint));
      return;
    case 'channel':
      readAgainSoon(keyOf(channels.list));
      return readAgainSoon(keyOf(viewDialogue));
    case 'resync':
      for (const endpoint of READ_AGAIN_AFTER_A_BREAK) {
        void queryClient.invalidateQueries({ queryKey: keyOf(endpoint) });
      }
      return;
    default:
      return event satisfies never;
  }
}

function applyMessage(message: Message): void {
  tellThread(message.dialogue_id, (thread) => putMessage(thread, message));
  queryClient.setQueriesData<AnswerOf<typeof messages.list>>({ queryKey: keyOf(messages.list) }, (list) =>
    replaceRow(list, message, isOutdated),
  );
  readAgainSoon(keyOf(messages.list));
  readAgainSoon(keyOf(readLeadOutreach), NEXT_AGAIN_AFTER_MS);
  readAgainSoon(keyOf(readDashboard), FIGURES_AGAIN_AFTER_MS);
  // Where nothing was said yet a dialogue is listed with what failed.
  if (message.status === 'error' || message.status === 'unconfirmed') readAgainSoon(keyOf(dialogues.list));
}

/** Puts a dialogue, as the server now has it, wherever it is shown. */
export function storeDialogue(dialogue: Dialogue): void {
  queryClient.setQueryData<AnswerOf<typeof viewDialogue>>(
    keyOf(viewDialogue, { params: { id: dialogue.id } }),
    (view) => view && { ...view, dialogue },
  );
  queryClient.setQueriesData<AnswerOf<typeof dialogues.list>>({ queryKey: keyOf(dialogues.list) }, (list) =>
    replaceRow(list, dialogue, () => false),
  );
  readAgainSoon(keyOf(dialogues.list));
  readAgainSoon(keyOf(classificationOfDialogue));
  readCostsAgain();
  readAgainSoon(keyOf(readLeadOutreach), NEXT_AGAIN_AFTER_MS);
}

/** Each answer of a model changes a dialogue, and is paid for. */
function readCostsAgain(): void {
  readAgainSoon(keyOf(costOfDialogue));
  readAgainSoon(keyOf(costOfLead));
  readAgainSoon(keyOf(readBudget), BUDGET_AGAIN_AFTER_MS);
}

function replaceRow<R extends { id: number }, L extends { items: R[] }>(
  list: L | undefined,
  row: R,
  isOld: (known: R, incoming: R) => boolean,
): L | undefined {
  const at = list?.items.findIndex((item) => item.id === row.id) ?? -1;
  const known = list?.items[at];
  if (!list || !known || isOld(known, row)) return list;
  // What only a list tells stays.
  return { ...list, items: list.items.with(at, { ...known, ...row }) };
}

const waiting = new Set<string>();

function readAgainSoon(key: readonly unknown[], afterMs = LISTS_AGAIN_AFTER_MS): void {
  const name = JSON.stringify(key);
  if (waiting.has(name)) return;
  waiting.add(name);
  setTimeout(() => {
    waiting.delete(name);
    void queryClient.invalidateQueries({ queryKey: key });
  }, afterMs);
}
