/** The assistant's tools for channels, which take ids. */
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { Undoable } from '../../ui/pageContext.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { storedUndo } from '../../ui/undo.ts';
import { channels, checkSession, type Ramp, ramp, readRamp, resumeFirstMessages } from '../contract.ts';
import { hookTools } from './hookTools.ts';
import { ownerTools } from './ownerTools.ts';
import { configWithRamp } from './warmUp.ts';

const ID_INPUT = z.strictObject({ id: uncheckedId });

const invalidateChannels = () => queryClient.invalidateQueries({ queryKey: keyOf(channels.list) });

/** @param admin if false, only the tools to check sessions and resume first messages are included, as on the page. */
export function channelTools(admin: boolean): ToolWithHandler[] {
  const memberTools = [
    pageTool({
      name: 'check_session',
      description: t('Asks the vendor for the state of a channel’s session.'),
      input: ID_INPUT,
      run: async ({ id }) => {
        const { is_session_active, state } = await call(checkSession, { params: { id } });
        await invalidateChannels();
        return { is_session_active, state };
      },
    }),
    pageTool({
      name: 'resume_first_messages',
      description: t('Resumes first messages on a channel that stopped them automatically.'),
      input: ID_INPUT,
      confirm: true,
      irreversible: t('Sent first messages cannot be taken back; a number that nobody answers may be banned.'),
      run: async ({ id }) => {
        await call(resumeFirstMessages, { params: { id } });
        await invalidateChannels();
        return { status: 'first messages resumed' };
      },
    }),
  ];
  if (!admin) return memberTools;
  return [
    ...memberTools,
    ...ownerTools(),
    pageTool({
      name: 'switch_channel',
      description: t('Switches a channel on or off. Nothing is sent through one that is off.'),
      input: ID_INPUT.extend({ is_active: z.boolean() }),
      confirm: true,
      run: async ({ id, is_active }) => {
        const before = await call(channels.get, { params: { id } });
        if (before.is_active === is_active) throw new Error(t('Nothing has changed.'));
        const saved = await setActive(id, is_active);
        return new Undoable(
          { name: saved.name, is_active },
          storedUndo({
            after: is_active,
            read: async () => (await call(channels.get, { params: { id } })).is_active,
            restore: () => setActive(id, !is_active),
          }),
        );
      },
    }),
    pageTool({
      name: 'warm_up_channel',
      description: t(
        'Limits a channel to `start` first messages on its first day and `step` more each day after; null: only its products’ limits apply.',
      ),
      input: ID_INPUT.extend({ ramp: ramp.nullable() }),
      confirm: true,
      run: async ({ id, ramp: newRamp }) => {
        const before = await readChannelRamp(id);
        const name = await saveRamp(id, newRamp);
        return new Undoable(
          { name, ramp: newRamp },
          storedUndo({ after: newRamp, read: () => readChannelRamp(id), restore: () => saveRamp(id, before) }),
        );
      },
    }),
    ...hookTools(),
  ];
}

async function setActive(id: number, is_active: boolean) {
  const changed = await call(channels.replace, { params: { id }, body: { is_active } });
  await invalidateChannels();
  return changed;
}

const readChannelRamp = async (id: number) => readRamp((await call(channels.get, { params: { id } })).config);

async function saveRamp(id: number, newRamp: Ramp | null) {
  const { config } = await call(channels.get, { params: { id } });
  const { name } = await call(channels.replace, { params: { id }, body: { config: configWithRamp(config, newRamp) } });
  await invalidateChannels();
  return name;
}
