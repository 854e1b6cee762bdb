/** The emulators' control API, used by the phone page, the fault switches and the tests. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { normaliseAddress } from './addresses.ts';
import { boardRoutes } from './amocrm/boardRoutes.ts';
import { chatpushAccountSchema } from './chatpush/contract.ts';
import { chatpushAccount } from './chatpush/webhooks.ts';
import {
  accountSchema,
  channelStateSchema,
  faultSchema,
  knownPhoneSchema,
  noticeSchema,
  settingsPatchSchema,
  settingsSchema,
  typedSchema,
  writeSchema,
} from './contract.ts';
import { amendLeadMessage, changeChannelState, writeAsLead, writeAsOperator } from './phone.ts';
import type { World } from './world.ts';

const addressSchema = z.object({ address: z.string() });
const ok = { ok: true } as const;

/** Add the routes. `identity` answers a ping; `shutdown` ends the process after the answer. */
export function controlRoutes(
  app: FastifyInstance,
  world: World,
  identity: { pid: number; version: string; startedAt: string },
  shutdown: () => void,
): void {
  app.get('/control/ping', async () => ({ ...identity, seq: world.journal.last() }));
  app.post('/control/shutdown', async () => {
    setImmediate(shutdown);
    return ok;
  });
  runRoutes(app, world);
  accountRoutes(app, world);
  phoneRoutes(app, world);
  boardRoutes(app, world);
}

/** Journal, clock, settings and faults. */
function runRoutes(app: FastifyInstance, world: World): void {
  const { state, journal, clock, timers } = world;
  app.get('/control/journal', async (request) => {
    const query = z
      .object({
        after: z.coerce.number().int().min(0).default(0),
        limit: z.coerce.number().int().min(1).default(1_000),
      })
      .parse(request.query);
    return { entries: journal.read(query.after, query.limit), last: journal.last() };
  });
  app.get('/control/quiet', async () => {
    const hooks = world.hooks.pending() + world.amocrm.pending();
    const counts = { hooks, timers: timers.size(), streams: world.streams.count };
    return { quiet: counts.hooks + counts.timers + counts.streams === 0, ...counts };
  });
  app.post('/control/advance', async () => ({ fired: timers.fireAll() }));

  app.get('/control/clock', async () => ({ offset_ms: clock.offset(), now: clock.iso() }));
  app.post('/control/clock', async (request) => {
    const { offset_ms: offset } = z.strictObject({ offset_ms: z.number() }).parse(request.body);
    journal.append({ kind: 'clock', offset });
    clock.set(offset);
    return { offset_ms: clock.offset(), now: clock.iso() };
  });

  app.put('/control/settings', async (request) => {
    const patch = settingsPatchSchema.parse(request.body);
    const merged = Object.entries(state.settings).map(([name, value]) => {
      const change = Object.entries(patch).find(([key]) => key === name)?.[1] ?? value;
      return [name, typeof change === 'object' ? Object.assign({}, value, change) : change];
    });
    journal.append({ kind: 'settings', settings: settingsSchema.parse(Object.fromEntries(merged)) });
    return state.settings;
  });

  /** Return the faults that may still happen, with the remaining times. */
  const activeFaults = () =>
    state.faults
      .filter(({ remaining }) => remaining > 0)
      .map(({ fault, remaining }) => (Number.isFinite(remaining) ? { ...fault, times: remaining } : fault));
  app.get('/control/faults', async () => activeFaults());
  app.put('/control/faults', async (request) => {
    journal.append({ kind: 'faults', faults: z.array(faultSchema).parse(request.body) });
    return activeFaults();
  });
}

/** Accounts and channels of the messengers. */
function accountRoutes(app: FastifyInstance, world: World): void {
  const { state, journal } = world;
  app.get('/control/wazzup24/accounts', async () => [...state.accounts.values()]);
  app.put('/control/wazzup24/accounts/:key', async (request, reply) => {
    const { key } = z.object({ key: z.string().min(1) }).parse(request.params);
    const account = accountSchema.parse(request.body);
    const foreign = account.channels.find(({ channelId }) => (state.channels.get(channelId)?.account ?? key) !== key);
    if (foreign !== undefined)
      return reply.code(409).send({ detail: `Channel ${foreign.channelId} belongs to another account.` });
    if (JSON.stringify(state.accounts.get(key)?.channels) !== JSON.stringify(account.channels))
      journal.append({ kind: 'account', key, account });
    return reply.send(state.accounts.get(key));
  });
  app.put('/control/wazzup24/channels/:channelId/state', async (request) => {
    const { channelId } = z.object({ channelId: z.string() }).parse(request.params);
    changeChannelState(world, channelId, channelStateSchema.parse(request.body));
    return ok;
  });

  app.get('/control/chatpush/accounts', async () => [...state.chatpush.values()]);
  app.put('/control/chatpush/accounts/:token', async (request) => {
    const { token } = z.object({ token: z.string().min(1) }).parse(request.params);
    chatpushAccount(world, token, chatpushAccountSchema.parse(request.body));
    return state.chatpush.get(token);
  });
}

/** The leads' phones, and the team's. */
function phoneRoutes(app: FastifyInstance, world: World): void {
  const { state, journal } = world;
  app.get('/control/phones', async () => [...state.phones.values()].map(({ address, name }) => ({ address, name })));
  app.get('/control/phones/:address', async (request) => {
    const address = addressOf(request.params);
    const existing = state.phones.get(address);
    return { address, name: existing?.name ?? address, messages: existing?.messages ?? [] };
  });
  app.put('/control/phones/:address', async (request) => {
    const address = addressOf(request.params);
    const { name } = knownPhoneSchema.parse(request.body);
    if (state.phones.get(address)?.name !== name) journal.append({ kind: 'phone', address, name });
    return ok;
  });
  app.post('/control/phones/:address/write', async (request) =>
    writeAsLead(world, addressOf(request.params), writeSchema.parse(request.body)),
  );
  app.post('/control/phones/:address/type', async (request) =>
    writeAsOperator(world, addressOf(request.params), typedSchema.parse(request.body)),
  );
  app.post('/control/phones/:address/amend', async (request) => {
    amendLeadMessage(world, addressOf(request.params), noticeSchema.parse(request.body));
    return ok;
  });
}

function addressOf(params: unknown): string {
  return normaliseAddress(addressSchema.parse(params).address);
}
