/**
 * The emulators' control API, used by the phone page, the fault switches and the tests. `POST /control/NAME` calls a
 * method with a JSON list of arguments; `controlClient` has the same methods. What a person or a test puts together is
 * checked by its schema.
 */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { normaliseAddress } from './addresses.ts';
import { boardApi } from './amocrm/boardApi.ts';
import { type ChatpushInput, chatpushAccountSchema } from './chatpush/contract.ts';
import { chatpushAccount } from './chatpush/webhooks.ts';
import {
  type AccountInput,
  accountSchema,
  type ChannelState,
  type Fault,
  faultSchema,
  type Notice,
  type SettingsPatch,
  settingsSchema,
  type Typed,
  type Write,
  writeSchema,
} from './contract.ts';
import { ImpossibleActionError, NotFoundError } from './errors.ts';
import type { Holder } from './holder.ts';
import { amendLeadMessage, changeChannelState, writeAsLead, writeAsOperator } from './phone.ts';
import type { World } from './world.ts';

type Identity = Pick<Holder, 'pid' | 'version' | 'startedAt'>;

export type ControlApi = ReturnType<typeof createControlApi>;

/** `identity` answers a ping; `shutdown` ends the process after the answer. */
function createControlApi(world: World, identity: Identity, shutdown: () => void) {
  return {
    ping: () => ({ ...identity, seq: world.journal.last() }),
    shutdown: () => void setImmediate(shutdown),
    ...runApi(world),
    ...accountApi(world),
    ...phoneApi(world),
    amocrm: boardApi(world),
  };
}

export function controlRoutes(app: FastifyInstance, world: World, identity: Identity, shutdown: () => void): void {
  const api = createControlApi(world, identity, shutdown);
  app.route<{ Params: { name: string } }>({
    // Emulators of an older version answer a ping by GET only.
    method: ['GET', 'POST'],
    url: '/control/:name',
    handler: async ({ params: { name }, body }) => {
      const [first = '', second] = name.split('.');
      const group: object = second === undefined ? api : api.amocrm;
      const method: unknown = Object.getOwnPropertyDescriptor(group, second ?? first)?.value;
      if (typeof method !== 'function') throw new NotFoundError(`There is no call ${name}.`);
      return (await method(...z.array(z.unknown()).default([]).parse(body))) ?? {};
    },
  });
}

/** Journal, clock, settings and faults. */
function runApi(world: World) {
  const { state, journal, clock, timers } = world;
  const clockState = () => ({ offset_ms: clock.offset(), now: clock.iso() });
  /** Return the faults that may still happen, with the remaining times. */
  const activeFaults = (): Fault[] =>
    state.faults
      .filter(({ remaining }) => remaining > 0)
      .map(({ fault, remaining }) => (Number.isFinite(remaining) ? { ...fault, times: remaining } : fault));
  return {
    /** Read one page of the journal, from the number above `after`. */
    journal: (after = 0, limit = 1_000) => ({ entries: journal.read(after, limit), last: journal.last() }),
    quiet: () => {
      const hooks = world.hooks.pending() + world.amocrm.pending();
      const counts = { hooks, timers: timers.size(), streams: world.streams.count };
      return { quiet: counts.hooks + counts.timers + counts.streams === 0, ...counts };
    },
    /** Run every pending status, retry and delayed hook now. */
    advance: () => ({ fired: timers.fireAll() }),
    clock: clockState,
    /** Set the domain clock to real time plus `offset` in milliseconds. */
    setClock: (offset: number) => {
      journal.append({ kind: 'clock', offset });
      clock.set(offset);
      return clockState();
    },
    /** Change the given settings and keep the others. */
    changeSettings: (patch: SettingsPatch) => {
      const changes: Record<string, unknown> = patch;
      const merged = Object.entries(state.settings).map(([name, value]) => {
        const change = changes[name] ?? value;
        return [name, typeof change === 'object' ? Object.assign({}, value, change) : change];
      });
      journal.append({ kind: 'settings', settings: settingsSchema.parse(Object.fromEntries(merged)) });
      return state.settings;
    },
    faults: activeFaults,
    /** Replace all faults; an empty list ends them. */
    setFaults: (faults: Fault[]) => {
      journal.append({ kind: 'faults', faults: z.array(faultSchema).parse(faults) });
      return activeFaults();
    },
  };
}

/** Accounts and channels of the messengers. */
function accountApi(world: World) {
  const { state, journal } = world;
  return {
    accounts: () => [...state.accounts.values()],
    /** Create or replace the account of an API key; its hook address is kept. */
    putAccount: (key: string, input: AccountInput) => {
      const account = accountSchema.parse(input);
      const foreign = account.channels.find(({ channelId }) => (state.channels.get(channelId)?.account ?? key) !== key);
      if (foreign !== undefined)
        throw new ImpossibleActionError(`Channel ${foreign.channelId} belongs to another account.`);
      if (JSON.stringify(state.accounts.get(key)?.channels) !== JSON.stringify(account.channels))
        journal.append({ kind: 'account', key, account });
    },
    changeChannel: (channelId: string, change: ChannelState) => changeChannelState(world, channelId, change),
    chatpushAccounts: () => [...state.chatpush.values()],
    /** Create the account of a token, or change its sessions; its webhooks are kept. */
    putChatpush: (token: string, account: ChatpushInput) =>
      chatpushAccount(world, token, chatpushAccountSchema.parse(account)),
  };
}

/** The leads' phones, and the team's. */
function phoneApi(world: World) {
  const { state, journal } = world;
  return {
    phones: () => [...state.phones.values()].map(({ address, name }) => ({ address, name })),
    /** Read what the lead sees, oldest first; empty for an address without messages. */
    thread: (rawAddress: string) => {
      const address = normaliseAddress(rawAddress);
      const existing = state.phones.get(address);
      return { address, name: existing?.name ?? address, messages: existing?.messages ?? [] };
    },
    /** Register a phone under a name before any message. */
    putPhone: (rawAddress: string, name: string) => {
      const address = normaliseAddress(rawAddress);
      if (state.phones.get(address)?.name !== name) journal.append({ kind: 'phone', address, name });
    },
    /** Write as the lead. */
    write: (address: string, write: Write) => writeAsLead(world, address, writeSchema.parse(write)),
    /** Answer the lead as a person at the business phone. */
    type: (address: string, typed: Typed) => writeAsOperator(world, address, typed),
    /** Edit (`text`) or delete a message as the lead. */
    amend: (address: string, notice: Notice) => amendLeadMessage(world, address, notice),
  };
}
