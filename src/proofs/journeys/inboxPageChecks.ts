/** The inbox, with a row of every kind, and a dialogue open in it. */
import type { Page } from '@playwright/test';
import { type Attention, attentionStates } from '../../conversations/attentionContract.ts';
import { addNote, assignDialogue, countInbox, type InboxRow, listInbox, suggestReply } from '../../desk/contract.ts';
import type { DemoIds } from './demoData.ts';
import { button, dialog, role, text } from './find.ts';
import { callApi } from './journeyApi.ts';
import { check, type PageCheck } from './pageCheck.ts';
import { click, fill, keys, press, shows } from './steps.ts';
import { answer, type Undo } from './stubs.ts';

const rows = role('region', 'Dialogues');
const MINUTE = 60_000;
const NOW = Date.now();
const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE).toISOString();

function rowOf(id: number, lead: string, change: Partial<InboxRow>): InboxRow {
  return {
    id,
    product_id: 1,
    product_name: 'Kitchens to measure',
    contact_id: id,
    channel_id: 1,
    chat_id: null,
    last_user_msg_id: 1,
    last_user_msg_at: ago(id),
    last_bot_msg_id: null,
    last_msg_created_at: ago(id),
    skip_ping_for_msg_id: null,
    is_main: true,
    created_at: ago(3000),
    owner: 'human',
    owner_reason: null,
    owner_reason_code: null,
    owner_since: ago(60),
    turn_due_at: null,
    no_answer: null,
    quiet_reason: null,
    lead_id: id,
    lead_name: lead,
    lead_stage: 'ongoing',
    lead_is_active: true,
    contact: '+371 20990001',
    channel_name: 'WhatsApp of the studio',
    last_message: 'Could somebody call me about the worktop of the kitchen by the window?',
    last_message_trouble: null,
    attention: null,
    inbox_state: 'human',
    inbox_at: ago(id),
    assignee_id: null,
    assignee: null,
    snoozed_until: null,
    snoozed_until_reply: false,
    done_at: null,
    return_at: null,
    version: 1,
    ...change,
  };
}

/** Every reason in time, soon and late; assigned or not; snoozed, and without a message. */
function everyRow(): InboxRow[] {
  const waits: Attention[] = attentionStates.flatMap((state) =>
    [3, 10, 300].map((minutes) => ({ state, since: ago(minutes), due_at: ago(minutes - 15) })),
  );
  const waiting = waits.map((attention, index) =>
    rowOf(9000 + index, `Lead of a rather long name ${index + 1}`, {
      attention,
      inbox_state: 'needs_human',
      ...(index % 2 === 0 ? { assignee_id: 1, assignee: 'anna.maria' } : {}),
    }),
  );
  return [
    ...waiting,
    rowOf(9100, 'Snoozed Lead', { inbox_state: 'snoozed', snoozed_until: ago(-600), snoozed_until_reply: true }),
    rowOf(9101, 'Silent Lead', { inbox_state: 'bot', owner: 'bot', last_message: null }),
  ];
}

const items = everyRow();
const everyKind = answer(listInbox.path, { items, total: items.length, page: 1, limit: 50 });
const counts = answer(countInbox.path, {
  needs_me: 218,
  mine: 34,
  unassigned: 190,
  others: 27,
  bot: 1240,
  snoozed: 12,
  done: 5310,
});
const openAt = ({ dialogueId }: DemoIds) => `dialogueId=${dialogueId}`;
const composer = role('textbox', 'Message');

/** Assign the demo's dialogue and note something about it. */
async function prepare(page: Page, { url, dialogueId }: DemoIds): Promise<Undo> {
  const at = (path: string) => path.replace('{id}', String(dialogueId));
  await callApi(page.context(), url, 'POST', at(addNote.path), { text: 'Prefers calls after six.' });
  return () => callApi(page.context(), url, 'POST', at(assignDialogue.path), { operator_id: null });
}

const openDialogue = { at: openAt, ready: composer, prepare } as const;

export const inboxPageChecks: readonly PageCheck[] = [
  check('inbox', '', { at: '', ready: role('group', 'Views') }),
  check('inbox', 'every-kind', { at: '', stubs: [everyKind, counts], ready: rows }),
  check('inbox', 'chosen', {
    at: '',
    stubs: [everyKind, counts],
    ready: rows,
    act: [
      (page) =>
        page
          .getByRole('checkbox', { name: /^Select Lead/ })
          .first()
          .check(),
      shows(role('toolbar', 'Selected rows')),
    ],
  }),
  check('inbox', 'empty', { at: 'search=nobody+is+called+this', ready: text('No dialogues found') }),
  check('inbox', 'open', openDialogue),
  check('inbox', 'assign', { ...openDialogue, act: [keys('a'), shows(role('menuitem', /^Me/))] }),
  check('inbox', 'snooze', { ...openDialogue, act: [keys('h'), shows(role('menuitem', 'Until the lead writes'))] }),
  check('inbox', 'snooze-custom', {
    ...openDialogue,
    act: [keys('h'), click(role('menuitem', /^Until another time/)), shows(dialog('Snooze'))],
  }),
  check('inbox', 'stage', { ...openDialogue, act: [keys('s'), shows(dialog('Change stage'))] }),
  check('inbox', 'prepared', {
    ...openDialogue,
    act: [fill('Message', '/'), shows(role('option', 'First message after the fair'))],
  }),
  check('inbox', 'note', {
    ...openDialogue,
    act: [click((page) => page.getByText('Note', { exact: true }).last()), shows(button('Add the note'))],
  }),
  check('inbox', 'suggested', {
    ...openDialogue,
    stubs: [answer(suggestReply.path, { text: 'Four weeks, as a rule.', run_id: null })],
    act: [press('Suggest reply'), shows(button('Send'))],
  }),
];
