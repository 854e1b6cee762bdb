/** The typed client of the emulators' control API; every reply is parsed before it is returned. */
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
  refusalSchema,
  type SettingsPatch,
  settingsSchema,
  type Typed,
  type Write,
  writtenSchema,
} from './contract.ts';
import { type Entry, type EntryOf, entrySchema } from './entries.ts';

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

type Call = <T>(method: string, path: string, reply: z.ZodType<T>, body?: unknown) => Promise<T>;

function createCall(url: string, token: string): Call {
  return async (method, path, reply, body) => {
    const response = await fetch(`${url}/control${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ControlError(0, `${method} /control${path}: ${reason}`);
    });
    const text = await response.text();
    if (response.ok) return reply.parse(parse(text));
    const refusal = refusalSchema.safeParse(parse(text));
    const reason = refusal.success ? refusal.data.detail : text;
    throw new ControlError(response.status, `${method} /control${path}: ${response.status} ${reason}`);
  };
}

/** Create a client. `url` is the emulators' own (`http://127.0.0.1:PORT`), `token` that of emulators.json. */
export function controlClient(url: string, token: string) {
  const call = createCall(url, token);
  const phone = (address: string) => `/phones/${encodeURIComponent(address)}`;

  const journal = (after = 0, limit = 1_000) => call('GET', `/journal?after=${after}&limit=${limit}`, journalSchema);
  const quiet = () => call('GET', '/quiet', quietSchema);

  async function entries(after = 0): Promise<Entry[]> {
    const all: Entry[] = [];
    for (let from = after; ; ) {
      const page = await journal(from, 5_000);
      all.push(...page.entries);
      from = page.entries.at(-1)?.seq ?? from;
      if (page.entries.length === 0 || from >= page.last) return all;
    }
  }

  return {
    ping: () => call('GET', '/ping', pingSchema),
    shutdown: () => call('POST', '/shutdown', okSchema),

    /** Read one page of the journal, from the number above `after`. */
    journal,
    /** Read the whole journal after a number, page by page. */
    entries,
    /** Read the entries of one kind from the whole journal. */
    entriesOf: async <K extends Entry['kind']>(kind: K, after = 0): Promise<EntryOf<K>[]> =>
      (await entries(after)).filter((entry): entry is EntryOf<K> => entry.kind === kind),
    quiet,
    /** Wait until nothing is in flight. Throws after the timeout. */
    untilQuiet: async (timeoutMs = 10_000): Promise<void> => {
      const limit = performance.now() + timeoutMs;
      for (;;) {
        const now = await quiet();
        if (now.quiet) return;
        if (performance.now() > limit) throw new Error(`The emulators are not quiet: ${JSON.stringify(now)}`);
        await pause(10);
      }
    },
    /** Run every pending status, retry and delayed hook now. */
    advance: () => call('POST', '/advance', z.object({ fired: z.number().int() })),

    clock: () => call('GET', '/clock', clockSchema),
    /** Set the domain clock to real time plus `offsetMs`. */
    setClock: (offsetMs: number) => call('POST', '/clock', clockSchema, { offset_ms: offsetMs }),

    /** Change the given settings and keep the others. */
    changeSettings: (patch: SettingsPatch) => call('PUT', '/settings', settingsSchema, patch),

    faults: () => call('GET', '/faults', z.array(faultSchema)),
    /** Replace all faults; an empty list ends them. */
    setFaults: (faults: Fault[]) => call('PUT', '/faults', z.array(faultSchema), faults),

    accounts: () => call('GET', '/wazzup24/accounts', z.array(accountViewSchema)),
    /** Create or replace the account of an API key; its hook address is kept. */
    putAccount: (key: string, account: AccountInput) =>
      call('PUT', `/wazzup24/accounts/${encodeURIComponent(key)}`, accountViewSchema, account),
    changeChannel: (channelId: string, change: ChannelState) =>
      call('PUT', `/wazzup24/channels/${encodeURIComponent(channelId)}/state`, okSchema, change),

    chatpushAccounts: () => call('GET', '/chatpush/accounts', z.array(chatpushViewSchema)),
    /** Create the account of a token, or change its sessions; its webhooks are kept. */
    putChatpush: (token: string, account: ChatpushInput) =>
      call('PUT', `/chatpush/accounts/${encodeURIComponent(token)}`, chatpushViewSchema, account),
    amocrm: amocrmControl(call),

    phones: () => call('GET', '/phones', z.array(phoneSchema)),
    /** Read what the lead sees, oldest first; empty for an address without messages. */
    thread: (address: string) => call('GET', phone(address), threadSchema),
    /** Register a phone under a name before any message. */
    putPhone: (address: string, name: string) => call('PUT', phone(address), okSchema, { name }),
    /** Write as the lead. */
    write: (address: string, write: Write) => call('POST', `${phone(address)}/write`, writtenSchema, write),
    /** Answer the lead as a person at the business phone. */
    type: (address: string, typed: Typed) => call('POST', `${phone(address)}/type`, writtenSchema, typed),
    /** Edit (`text`) or delete a message as the lead. */
    amend: (address: string, notice: Notice) => call('POST', `${phone(address)}/amend`, okSchema, notice),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
