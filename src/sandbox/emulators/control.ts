/** The typed client of the emulators' control API; every reply is parsed before it is given out. */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { amocrmControl } from './amocrm/controlClient.ts';
import { type ChatpushInput, chatpushViewSchema } from './chatpush/contract.ts';
import {
  type AccountInput,
  accountViewSchema,
  type ChannelState,
  clockSchema,
  type Fault,
  faultSchema,
  type Notice,
  okSchema,
  phoneMessageSchema,
  phoneSchema,
  pingSchema,
  quietSchema,
  type Receipt,
  refusalSchema,
  type SettingsPatch,
  settingsSchema,
  type Typed,
  type Write,
  writtenSchema,
} from './contract.ts';
import { type Entry, type EntryOf, entrySchema } from './entries.ts';

const changedSchema = z.object({ changed: z.number().int() });
const journalSchema = z.object({ entries: z.array(entrySchema), last: z.number().int() });
const threadSchema = z.object({ address: z.string(), name: z.string(), messages: z.array(phoneMessageSchema) });

/** The emulators refused a control call, or could not be reached (`status` 0). */
export class ControlError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'ControlError';
    this.status = status;
  }
}

export type ControlClient = ReturnType<typeof controlClient>;

/** `url` is the emulators' own (`http://127.0.0.1:PORT`), `token` that of emulators.json. */
export function controlClient(url: string, token: string) {
  async function call<T>(method: string, path: string, reply: z.ZodType<T>, body?: unknown): Promise<T> {
    const response = await send(method, path, body);
    const text = await response.text();
    if (!response.ok) {
      const refusal = refusalSchema.safeParse(parse(text));
      const reason = refusal.success ? refusal.data.detail : text;
      throw new ControlError(response.status, `${method} /control${path}: ${response.status} ${reason}`);
    }
    return reply.parse(parse(text));
  }

  async function send(method: string, path: string, body: unknown): Promise<Response> {
    try {
      return await fetch(`${url}/control${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
    } catch (error) {
      throw new ControlError(0, `${method} /control${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  const phone = (address: string) => `/phones/${encodeURIComponent(address)}`;

  async function journal(after = 0, limit = 1_000): Promise<z.infer<typeof journalSchema>> {
    return call('GET', `/journal?after=${after}&limit=${limit}`, journalSchema);
  }

  async function entries(after = 0): Promise<Entry[]> {
    const all: Entry[] = [];
    for (let from = after; ; ) {
      const page = await journal(from, 5_000);
      all.push(...page.entries);
      from = page.entries.at(-1)?.seq ?? from;
      if (page.entries.length === 0 || from >= page.last) return all;
    }
  }

  async function quiet(): Promise<z.infer<typeof quietSchema>> {
    return call('GET', '/quiet', quietSchema);
  }

  return {
    ping: () => call('GET', '/ping', pingSchema),
    shutdown: () => call('POST', '/shutdown', okSchema),

    /** One page of the journal, numbers above `after`. */
    journal,
    /** The whole journal after a number, page by page. */
    entries,
    /** Entries of one kind, the whole journal through. */
    entriesOf: async <K extends Entry['kind']>(kind: K, after = 0): Promise<EntryOf<K>[]> =>
      (await entries(after)).filter((entry): entry is EntryOf<K> => entry.kind === kind),
    quiet,
    /** Waits until nothing is in flight; throws after `withinMs`. */
    untilQuiet: async (timeoutMs = 10_000): Promise<void> => {
      const limit = performance.now() + timeoutMs;
      for (;;) {
        const now = await quiet();
        if (now.quiet) return;
        if (performance.now() > limit) throw new Error(`The emulators are not quiet: ${JSON.stringify(now)}`);
        await pause(10);
      }
    },
    /** Fires every pending status, retry and held hook now. */
    advance: () => call('POST', '/advance', z.object({ fired: z.number().int() })),

    clock: () => call('GET', '/clock', clockSchema),
    /** Sets the domain clock to real time plus `offsetMs`. */
    setClock: (offsetMs: number) => call('POST', '/clock', clockSchema, { offset_ms: offsetMs }),

    settings: () => call('GET', '/settings', settingsSchema),
    /** Changes the settings that are given and leaves the others. */
    changeSettings: (patch: SettingsPatch) => call('PUT', '/settings', settingsSchema, patch),

    faults: () => call('GET', '/faults', z.array(faultSchema)),
    /** Replaces all faults; an empty list ends them. */
    setFaults: (faults: Fault[]) => call('PUT', '/faults', z.array(faultSchema), faults),
    addFault: (fault: Fault) => call('POST', '/faults', z.array(faultSchema), fault),

    accounts: () => call('GET', '/wazzup24/accounts', z.array(accountViewSchema)),
    /** Makes or replaces the account of an API key; its hook address stays. */
    putAccount: (key: string, account: AccountInput) =>
      call('PUT', `/wazzup24/accounts/${encodeURIComponent(key)}`, accountViewSchema, account),
    changeChannel: (channelId: string, change: ChannelState) =>
      call('PUT', `/wazzup24/channels/${encodeURIComponent(channelId)}/state`, okSchema, change),

    chatpushAccounts: () => call('GET', '/chatpush/accounts', z.array(chatpushViewSchema)),
    /** Makes the account of a token, or changes its sessions; its webhooks stay. */
    putChatpush: (token: string, account: ChatpushInput) =>
      call('PUT', `/chatpush/accounts/${encodeURIComponent(token)}`, chatpushViewSchema, account),
    amocrm: amocrmControl(call),

    phones: () => call('GET', '/phones', z.array(phoneSchema)),
    /** What the lead sees, oldest first; empty for an address nobody wrote to. */
    thread: (address: string) => call('GET', phone(address), threadSchema),
    /** Makes a phone known under a name before anybody wrote. */
    putPhone: (address: string, name: string) => call('PUT', phone(address), okSchema, { name }),
    /** The lead writes. */
    write: (address: string, write: Write) => call('POST', `${phone(address)}/write`, writtenSchema, write),
    /** A person answers the lead at the business phone. */
    type: (address: string, typed: Typed) => call('POST', `${phone(address)}/type`, writtenSchema, typed),
    /** The lead edits (`text`) or takes back a message. */
    amend: (address: string, notice: Notice) => call('POST', `${phone(address)}/amend`, okSchema, notice),
    receipts: (address: string, receipt: Receipt) => call('POST', `${phone(address)}/receipts`, changedSchema, receipt),
    /** The phone opens its chats, or one: what stood unread is read. */
    open: (address: string, channelId?: string) =>
      call('POST', `${phone(address)}/open`, changedSchema, channelId === undefined ? {} : { channelId }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
