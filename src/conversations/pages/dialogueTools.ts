/** Assistant tools for dialogues: those of a list, and the open one. */

import { z } from 'zod';
import { leadListTools } from '../../leads/pages/shared/leadTools.ts';
import { readHandBack } from '../../outreach/handBackContract.ts';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { type Undo, Undoable } from '../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { storedUndo } from '../../ui/undo.ts';
import { dialogues, type Owner, setOwner } from '../contract.ts';
import { skipPings } from '../skipFollowUpsContract.ts';
import { storeDialogue } from './applyLiveEvents.ts';
import { describeHandBack } from './handBack.ts';

/** Return the tools for dialogues named by the assistant, while a list is in view. */
export function dialogueTools(): ToolWithHandler[] {
  return [
    ...leadListTools(),
    pageTool({
      ...SET_OWNER,
      input: setOwner.body.extend({ dialogue_id: uncheckedId }),
      confirm: true,
      run: ({ dialogue_id, ...change }) => setOwnerWithUndo(dialogue_id, change),
    }),
    pageTool({
      ...PREVIEW_HAND_BACK,
      input: z.strictObject({ dialogue_id: uncheckedId }),
      run: ({ dialogue_id }) => previewHandBack(dialogue_id),
    }),
  ];
}

/** Return the tools for the open dialogue: set the owner, skip follow-ups. */
export function openDialogueTools(id: number): ToolWithHandler[] {
  return [
    pageTool({ ...SET_OWNER, input: setOwner.body, confirm: true, run: (change) => setOwnerWithUndo(id, change) }),
    pageTool({ ...PREVIEW_HAND_BACK, input: NO_ARGUMENTS, run: () => previewHandBack(id) }),
    pageTool({
      name: 'skip_follow_ups',
      description: t(
        'Skips the follow-ups until our next message, or resumes them. One that is already scheduled is cancelled.',
      ),
      input: skipPings.body,
      confirm: true,
      run: ({ skip }) => skipFollowUpsWithUndo(id, skip),
    }),
  ];
}

const SET_OWNER = {
  name: 'set_owner',
  description: t(
    'Hands a dialogue over to a human, or back to the bot, which then answers what is unanswered at once, or when working hours begin. With stay_silent it answers nothing before the lead writes again. Say what happens before: show_hand_back.',
  ),
};

const PREVIEW_HAND_BACK = {
  name: 'show_hand_back',
  description: t('Says what the bot would do if it got the dialogue back now.'),
};

const previewHandBack = async (id: number) => ({
  result: describeHandBack(await call(readHandBack, { params: { id } })),
});

const readDialogue = (id: number) => call(dialogues.get, { params: { id } });

async function setOwnerWithUndo(
  id: number,
  { owner, stay_silent = false }: { owner: Owner; stay_silent?: boolean },
): Promise<Undoable> {
  const before = await readDialogue(id);
  if (before.owner === owner) throw new Error(t('Nothing has changed.'));
  const applyOwner = async (to: Owner) => {
    const changed = await call(setOwner, {
      params: { id },
      body: { owner: to, stay_silent: stay_silent && to === 'bot' },
    });
    storeDialogue(changed);
    return changed;
  };
  const updated = await applyOwner(owner);
  // A later handover, by anyone, counts as a different state.
  const stateOf = (one: Pick<typeof updated, 'owner' | 'owner_since'>) => [one.owner, one.owner_since];
  return new Undoable(
    { owner: updated.owner },
    storedUndo({
      after: stateOf(updated),
      read: async () => stateOf(await readDialogue(id)),
      restore: () => applyOwner(before.owner),
    }),
  );
}

async function skipFollowUpsWithUndo(id: number, skip: boolean): Promise<Undoable> {
  const change = async (skipNext: boolean) => {
    const changed = await call(skipPings, { params: { id }, body: { skip: skipNext } });
    storeDialogue(changed);
    return changed.skip_ping_for_msg_id;
  };
  const left = await change(skip);
  const undo: Undo = storedUndo({
    after: left,
    read: async () => (await readDialogue(id)).skip_ping_for_msg_id,
    restore: () => change(!skip),
  });
  return new Undoable({ skipped: left !== null }, undo);
}
