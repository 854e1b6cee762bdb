/** Applies what happens to dialogues beside their messages: the rules decide, and what changes is saved. */
import type { Tx } from '../../platform/db.ts';
import { type LoadedDialogue, type LoadedDialogues, loadDialogues } from '../postgres/dialogues.ts';
import type { Where } from '../postgres/load.ts';
import { mergeInto, type NamedQueries, type RowChanges, saveChanges } from '../postgres/save.ts';
import { changesPlan, type Dialogue, type DialogueEvent, decideDialogue } from '../rules/dialogue.ts';

export interface ChangedDialogue extends LoadedDialogue {
  readonly after: Dialogue;
}

/** Apply an event to dialogues, or to all of leads. Returns those that it changed, as they were and as they are. */
export const changeDialogues = async (
  tx: Tx,
  where: Where,
  event: DialogueEvent,
): Promise<readonly ChangedDialogue[]> =>
  changeLoaded(tx, { loaded: await loadDialogues(tx, where), eventOf: () => event });

interface DialogueChanges {
  readonly loaded: LoadedDialogues;
  readonly eventOf: (id: number) => DialogueEvent | undefined;
  /** What is stored with it. */
  readonly more?: NamedQueries;
}

/** Apply to each of loaded dialogues its event, if there is one. Returns those that changed. */
export async function changeLoaded(
  tx: Tx,
  { loaded: { now, dialogues }, eventOf, more = [] }: DialogueChanges,
): Promise<readonly ChangedDialogue[]> {
  const rows: RowChanges = new Map();
  const changed = dialogues.flatMap((one) => {
    const event = eventOf(one.id);
    const changes = event === undefined ? {} : decideDialogue(one.state, event, now);
    if (Object.keys(changes).length === 0) return [];
    mergeInto(rows, one.id, { ...changes });
    return [{ ...one, after: { ...one.state, ...changes } }];
  });
  if (changed.length === 0 && more.length === 0) return [];
  const leadIds = changed.flatMap(({ leadId, state, after }) => (changesPlan(state, after) ? [leadId] : []));
  await saveChanges(tx, { messages: new Map(), dialogues: rows }, { leadIds: [...new Set(leadIds)], more });
  return changed;
}
