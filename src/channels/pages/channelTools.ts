/** What the assistant may do with channels by their ids. */
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import { Undoable } from '../../kit/pageContext.ts';
import { pageTool, type ToolOfPage } from '../../kit/pageTool.ts';
import { keyOf, queryClient } from '../../kit/query.ts';
import { t } from '../../kit/t.ts';
import { storedUndo } from '../../kit/undo.ts';
import { plainId } from '../../platform/contract.ts';
import { channels, checkSession, firstsRamp, type Ramp, ramp, registerHook, resumeFirstMessages } from '../contract.ts';
import { ownerTools } from './ownerTools.ts';
import { withRamp } from './warmUp.ts';

const ONE = z.strictObject({ id: plainId });

const readAgain = () => queryClient.invalidateQueries({ queryKey: keyOf(channels.list) });

/** @param admin who is none may look at sessions and resume first messages, as on the page. */
export function channelTools(admin: boolean): ToolOfPage[] {
  const everybody = [
    pageTool({
      name: 'check_session',
      description: t('Asks the vendor how the session of a channel stands.'),
      input: ONE,
      run: async ({ id }) => {
        const { is_session_active, state } = await call(checkSession, { params: { id } });
        await readAgain();
        return { is_session_active, state };
      },
    }),
    pageTool({
      name: 'resume_first_messages',
      description: t('Lets a channel that stopped first messages by itself write to strangers again.'),
      input: ONE,
      confirm: true,
      irreversible: t('First messages that go out cannot be taken back; a number that nobody answers may be banned.'),
      run: async ({ id }) => {
        await call(resumeFirstMessages, { params: { id } });
        await readAgain();
        return { status: 'first messages go again' };
      },
    }),
  ];
  if (!admin) return everybody;
  return [
    ...everybody,
    ...ownerTools(),
    pageTool({
      name: 'switch_channel',
      description: t('Switches a channel on or off. Nothing is sent through one that is off.'),
      input: ONE.extend({ is_active: z.boolean() }),
      confirm: true,
      run: async ({ id, is_active }) => {
        const before = await call(channels.get, { params: { id } });
        if (before.is_active === is_active) throw new Error(t('Nothing has changed.'));
        const left = await switched(id, is_active);
        return new Undoable(
          { name: left.name, is_active },
          storedUndo({
            left: is_active,
            read: async () => (await call(channels.get, { params: { id } })).is_active,
            putBack: () => switched(id, !is_active),
          }),
        );
      },
    }),
    pageTool({
      name: 'warm_up_channel',
      description: t(
        'Has a channel send `start` first messages on its first day and `step` more on each later day; null: as many as its products’ limits allow.',
      ),
      input: ONE.extend({ ramp: ramp.nullable() }),
      confirm: true,
      run: async ({ id, ramp: wanted }) => {
        const before = await rampOf(id);
        const name = await warmUp(id, wanted);
        return new Undoable(
          { name, ramp: wanted },
          storedUndo({ left: wanted, read: () => rampOf(id), putBack: () => warmUp(id, before) }),
        );
      },
    }),
    pageTool({
      name: 'register_webhook',
      description: t(
        'Has the vendor send messages and statuses of a channel to Rapport; with replace also where another address is registered.',
      ),
      input: ONE.extend(registerHook.query.shape),
      confirm: true,
      irreversible: t('An address that another system registered is not known here, so it cannot be put back.'),
      run: async ({ id, replace }) => {
        const { message } = await call(registerHook, { params: { id }, query: { replace } });
        await readAgain();
        return { message };
      },
    }),
  ];
}

async function switched(id: number, is_active: boolean) {
  const changed = await call(channels.replace, { params: { id }, body: { is_active } });
  await readAgain();
  return changed;
}

const rampOf = async (id: number) => firstsRamp((await call(channels.get, { params: { id } })).config);

async function warmUp(id: number, wanted: Ramp | null) {
  const { config } = await call(channels.get, { params: { id } });
  const { name } = await call(channels.replace, { params: { id }, body: { config: withRamp(config, wanted) } });
  await readAgain();
  return name;
}
