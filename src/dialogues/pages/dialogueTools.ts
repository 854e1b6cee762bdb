/** What the assistant may do with dialogues: of a list, and of the one in view. */
import { call } from '../../kit/api.ts';
import { type Undo, Undoable } from '../../kit/pageContext.ts';
import { pageTool, type ToolOfPage } from '../../kit/pageTool.ts';
import { t } from '../../kit/t.ts';
import { storedUndo } from '../../kit/undo.ts';
import { toolsOfLeads } from '../../leads/pages/leadTools.ts';
import { plainId } from '../../platform/contract.ts';
import { dialogues, type Owner, setOwner } from '../contract.ts';
import { skipPings } from '../skipContract.ts';
import { storeDialogue } from './live.ts';

/** Of dialogues that the assistant names: where a list of them is in view. */
export function dialogueTools(): ToolOfPage[] {
  return [
    ...toolsOfLeads(),
    pageTool({
      ...SET_OWNER,
      input: setOwner.body.extend({ dialogue_id: plainId }),
      confirm: true,
      run: ({ dialogue_id, owner }) => handOver(dialogue_id, owner),
    }),
  ];
}

/** Of the dialogue in view: who answers, and whether follow-ups go. */
export function ownTools(id: number): ToolOfPage[] {
  return [
    pageTool({ ...SET_OWNER, input: setOwner.body, confirm: true, run: ({ owner }) => handOver(id, owner) }),
    pageTool({
      name: 'skip_follow_ups',
      description: t(
        'Leaves out the follow-ups until our next message, or resumes them. One that is written already is cancelled.',
      ),
      input: skipPings.body,
      confirm: true,
      run: ({ skip }) => skipFollowUps(id, skip),
    }),
  ];
}

const SET_OWNER = {
  name: 'set_owner',
  description: t('Hands a dialogue over to a human, or back to the bot, which then answers what waits for an answer.'),
};

const read = (id: number) => call(dialogues.get, { params: { id } });

async function handOver(id: number, owner: Owner): Promise<Undoable> {
  const before = await read(id);
  if (before.owner === owner) throw new Error(t('Nothing has changed.'));
  const hand = async (to: Owner) => {
    const changed = await call(setOwner, { params: { id }, body: { owner: to } });
    storeDialogue(changed);
    return changed;
  };
  const left = await hand(owner);
  // Handed over anew since, by whomever, is another state.
  const stateOf = (one: Pick<typeof left, 'owner' | 'owner_since'>) => [one.owner, one.owner_since];
  return new Undoable(
    { owner: left.owner },
    storedUndo({
      left: stateOf(left),
      read: async () => stateOf(await read(id)),
      putBack: () => hand(before.owner),
    }),
  );
}

async function skipFollowUps(id: number, skip: boolean): Promise<Undoable> {
  const change = async (wanted: boolean) => {
    const changed = await call(skipPings, { params: { id }, body: { skip: wanted } });
    storeDialogue(changed);
    return changed.skip_ping_for_msg_id;
  };
  const left = await change(skip);
  const undo: Undo = storedUndo({
    left,
    read: async () => (await read(id)).skip_ping_for_msg_id,
    putBack: () => change(!skip),
  });
  return new Undoable({ skipped: left !== null }, undo);
}
