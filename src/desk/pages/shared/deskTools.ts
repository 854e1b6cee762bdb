/** The assistant's tools of the inbox: for a dialogue that it names, and for the open one. */
import { z } from 'zod';
import type { Dialogue } from '../../../conversations/contract.ts';
import { dialogues } from '../../../conversations/contract.ts';
import { uncheckedId } from '../../../platform/contract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { Undoable } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { storedUndo } from '../../../ui/undo.ts';
import {
  addNote,
  assignDialogue,
  countInbox,
  listColleagues,
  listInbox,
  listNotes,
  markDone,
  reopenMany,
  setReturn,
  snoozeDialogue,
} from '../../contract.ts';

const NAMED = z.strictObject({ dialogue_id: uncheckedId });
const ASSIGN_INPUT = z.strictObject({ login: z.string().max(100).nullable().describe('null: nobody') });
const SNOOZE_INPUT = snoozeDialogue.body;
const NOTE_INPUT = addNote.body;
const RETURN_INPUT = setReturn.body;

const ASSIGN = { name: 'assign', description: t('Assigns a dialogue to an operator by login, or to nobody.') };
const SNOOZE = {
  name: 'snooze',
  description: t(
    'Hides a dialogue from the inbox until a time or until the lead writes. Null and false end the snooze.',
  ),
};
const DONE = { name: 'mark_done', description: t('Marks a dialogue as done, until the lead writes again.') };
const RETURN = {
  name: 'set_return_time',
  description: t(
    'Sets after how many hours without a message from a person the bot gets a dialogue back. 0: never; null: as the product says.',
  ),
  irreversible: t('What was set before is not known; set another time instead.'),
};
const NOTE = {
  name: 'add_note',
  description: t('Adds a note for colleagues to a dialogue. It is never sent to the lead.'),
  irreversible: t('Notes cannot be deleted.'),
};

/** Return the tools for dialogues named by the assistant, while the list is in view. */
export function deskListTools(): ToolWithHandler[] {
  return [
    pageTool({
      ...ASSIGN,
      input: ASSIGN_INPUT.extend(NAMED.shape),
      confirm: true,
      run: ({ dialogue_id, login }) => assign(dialogue_id, login),
    }),
    pageTool({
      ...SNOOZE,
      input: SNOOZE_INPUT.extend(NAMED.shape),
      confirm: true,
      run: ({ dialogue_id, ...to }) => snooze(dialogue_id, to),
    }),
    pageTool({
      ...DONE,
      input: NAMED,
      confirm: true,
      run: ({ dialogue_id }) => done(dialogue_id),
    }),
    pageTool({
      ...RETURN,
      input: RETURN_INPUT.extend(NAMED.shape),
      confirm: true,
      run: ({ dialogue_id, hours }) => setReturnTime(dialogue_id, hours),
    }),
    pageTool({
      ...NOTE,
      input: NOTE_INPUT.extend(NAMED.shape),
      confirm: true,
      run: ({ dialogue_id, text }) => note(dialogue_id, text),
    }),
  ];
}

/** Return the tools for the open dialogue. */
export function openDeskTools(id: number): ToolWithHandler[] {
  return [
    pageTool({ ...ASSIGN, input: ASSIGN_INPUT, confirm: true, run: ({ login }) => assign(id, login) }),
    pageTool({ ...SNOOZE, input: SNOOZE_INPUT, confirm: true, run: (to) => snooze(id, to) }),
    pageTool({ ...DONE, input: NO_ARGUMENTS, confirm: true, run: () => done(id) }),
    pageTool({ ...RETURN, input: RETURN_INPUT, confirm: true, run: ({ hours }) => setReturnTime(id, hours) }),
    pageTool({ ...NOTE, input: NOTE_INPUT, confirm: true, run: ({ text }) => note(id, text) }),
  ];
}

const read = (id: number): Promise<Dialogue> => call(dialogues.get, { params: { id } });

/** Refetch what shows a dialogue and its place in the inbox. */
async function refresh(): Promise<void> {
  await Promise.all(
    [listInbox, countInbox, dialogues.list].map((endpoint) =>
      queryClient.invalidateQueries({ queryKey: keyOf(endpoint) }),
    ),
  );
}

async function assign(id: number, login: string | null): Promise<Undoable> {
  const before = await read(id);
  const { items } = await call(listColleagues, { query: { product_id: [before.product_id] } });
  const operator = login === null ? null : items.find((one) => one.login.toLowerCase() === login.toLowerCase());
  if (operator === undefined) throw new Error(t('No operator {{login}} can see this product.', { login: login ?? '' }));
  const operatorId = operator?.id ?? null;
  if (before.assignee_id === operatorId) throw new Error(t('Nothing has changed.'));
  const apply = async (to: number | null) => {
    const changed = await call(assignDialogue, { params: { id }, body: { operator_id: to } });
    await refresh();
    return changed;
  };
  const changed = await apply(operatorId);
  return new Undoable(
    { lead: changed.lead_name, assignee: changed.assignee },
    storedUndo({
      after: operatorId,
      read: async () => (await read(id)).assignee_id,
      restore: () => apply(before.assignee_id),
    }),
  );
}

async function snooze(id: number, to: z.output<typeof SNOOZE_INPUT>): Promise<Undoable> {
  const stateOf = (one: Dialogue) => ({ until: one.snoozed_until, until_reply: one.snoozed_until_reply });
  const before = stateOf(await read(id));
  const apply = async (body: z.output<typeof SNOOZE_INPUT>) => {
    const changed = await call(snoozeDialogue, { params: { id }, body });
    await refresh();
    return stateOf(changed);
  };
  const after = await apply(to);
  return new Undoable(
    after,
    storedUndo({ after, read: async () => stateOf(await read(id)), restore: () => apply(before) }),
  );
}

async function setReturnTime(id: number, hours: number | null): Promise<object> {
  const changed = await call(setReturn, { params: { id }, body: { hours } });
  await refresh();
  return { lead: changed.lead_name, return_at: changed.return_at };
}

async function done(id: number): Promise<Undoable> {
  const changed = await call(markDone, { params: { id } });
  await refresh();
  return new Undoable(
    { lead: changed.lead_name, status: 'done' },
    storedUndo({
      after: changed.done_at,
      read: async () => (await read(id)).done_at,
      restore: async () => {
        await call(reopenMany, { body: { ids: [id] } });
        await refresh();
      },
    }),
  );
}

async function note(id: number, text: string): Promise<object> {
  const added = await call(addNote, { params: { id }, body: { text } });
  await queryClient.invalidateQueries({ queryKey: keyOf(listNotes, { params: { id } }) });
  return { status: 'noted', id: added.id };
}
