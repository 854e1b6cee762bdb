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
  receiptSchema,
  type Settings,
  type SettingsPatch,
  settingsPatchSchema,
  typedSchema,
  writeSchema,
} from './contract.ts';
import {
  amendLeadMessage,
  changeChannelState,
  phones,
  reportStatuses,
  writeAsLead,
  writeAsOperator,
} from './wazzup24/phone.ts';
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
  const { state, journal, clock } = world;

  app.get('/control/ping', async () => ({ ...identity, seq: journal.last() }));
  app.post('/control/shutdown', async () => {
    setImmediate(shutdown);
    return ok;
  });

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
    const counts = { hooks, timers: world.timers.size(), streams: world.streams.count };
    return { quiet: counts.hooks + counts.timers + counts.streams === 0, ...counts };
  });
  app.post('/control/advance', async () => ({ fired: world.timers.fireAll() }));

  app.get('/control/clock', async () => ({ offset_ms: clock.offset(), now: clock.iso() }));
  app.post('/control/clock', async (request) => {
    const { offset_ms: offset } = z.strictObject({ offset_ms: z.number() }).parse(request.body);
    journal.append({ kind: 'clock', offset });
    clock.set(offset);
    return { offset_ms: clock.offset(), now: clock.iso() };
  });

  app.get('/control/settings', async () => state.settings);
  app.put('/control/settings', async (request) => {
    const settings = merged(state.settings, settingsPatchSchema.parse(request.body));
    journal.append({ kind: 'settings', settings });
    return state.settings;
  });

  app.get('/control/faults', async () => activeFaults());
  app.put('/control/faults', async (request) => {
    journal.append({ kind: 'faults', faults: z.array(faultSchema).parse(request.body) });
    return activeFaults();
  });
  app.post('/control/faults', async (request) => {
    journal.append({ kind: 'faults', faults: [...activeFaults(), faultSchema.parse(request.body)] });
    return activeFaults();
  });

  app.get('/control/wazzup24/accounts', async () => [...state.accounts.values()]);
  app.put('/control/wazzup24/accounts/:key', async (request, reply) => {
    const { key } = z.object({ key: z.string().min(1) }).parse(request.params);
    const account = accountSchema.parse(request.body);
    const conflicting = account.channels.find(
      (channel) => (state.channels.get(channel.channelId)?.account ?? key) !== key,
    );
    if (conflicting !== undefined) {
      return reply.code(409).send({ detail: `Channel ${conflicting.channelId} belongs to another account.` });
    }
    const existing = state.accounts.get(key);
    const same =
      existing !== undefined &&
      JSON.stringify({ channels: existing.channels, sidecar: existing.sidecar }) === JSON.stringify(account);
    if (!same) journal.append({ kind: 'account', key, account });
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

  app.get('/control/phones', async () => phones(world));
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
  app.post('/control/phones/:address/receipts', async (request) => ({
    changed: reportStatuses(world, addressOf(request.params), receiptSchema.parse(request.body)),
  }));
  app.post('/control/phones/:address/open', async (request) => {
    const { channelId } = z.strictObject({ channelId: z.string().optional() }).parse(request.body ?? {});
    return { changed: world.receipts.open(addressOf(request.params), channelId) };
  });

  boardRoutes(app, world);

  /** Return the faults that may still happen, with the remaining times. */
  function activeFaults() {
    return state.faults
      .filter(({ remaining }) => remaining > 0)
      .map(({ fault, remaining }) => (Number.isFinite(remaining) ? { ...fault, times: remaining } : fault));
  }
}

function addressOf(params: unknown): string {
  return normaliseAddress(addressSchema.parse(params).address);
}

function merged(settings: Settings, patch: SettingsPatch): Settings {
  return {
    statuses: overlay(settings.statuses, patch.statuses),
    echo: patch.echo ?? settings.echo,
    key: overlay(settings.key, patch.key),
    rateLimit: overlay(settings.rateLimit, patch.rateLimit),
    hooks: overlay(settings.hooks, patch.hooks),
    templateFlag: patch.templateFlag ?? settings.templateFlag,
    llm: overlay(settings.llm, patch.llm),
    amocrm: overlay(settings.amocrm, patch.amocrm),
    idleMs: patch.idleMs ?? settings.idleMs,
    seed: patch.seed ?? settings.seed,
  };
}

/** Merge the fields of `above` over `below`; a field that is undefined counts as absent. */
function overlay<T extends object>(below: T, above: { [K in keyof T]?: T[K] | undefined } | undefined): T {
  const definedFields = Object.entries(above ?? {}).filter(([, value]) => value !== undefined);
  return Object.assign({ ...below }, Object.fromEntries(definedFields));
}
