/** Hooks of the messengers: Wazzup24's to the address of an account, ChatPush's to addresses of their own. */
import { randomUUID } from 'node:crypto';
import type { Core } from '../core.ts';
import { createDelivery } from '../delivery.ts';
import type { EntryDraft } from '../entries.ts';

interface HookBody {
  messages?: unknown[];
  statuses?: unknown[];
  channelsUpdates?: unknown[];
}

export type Hooks = ReturnType<typeof messengerHooks>;

export function messengerHooks(core: Core) {
  const { state, journal, faults } = core;
  const { deliver, ...delivery } = createDelivery(core, {
    queued: state.pendingHooks,
    addressOf: (hook) => hook.url ?? state.accounts.get(hook.account)?.webhooksUri ?? null,
    bodyOf: (hooks) => JSON.stringify(hooks.length === 1 ? hooks[0]?.body : inOneBody(hooks)),
    isMixable: (hook) => hook.url === undefined,
    // The vendor's own spelling, which is no valid parameter (fact sheet, section 6).
    contentType: 'application/json; charset-utf-8',
    timeoutMs: () => state.settings.hooks.timeoutMs,
    isAccepted: (status) => status === 200,
    pauseMs: (hook, attempt) =>
      attempt > (hook.retries ?? state.settings.hooks.retries) ? null : state.settings.hooks.pauseMs,
    record: (hooks, attempt) =>
      journal.append({ kind: 'hook_answered', hookIds: hooks.map(({ hookId }) => hookId), ...attempt }),
  });

  function queue(hook: Omit<Queued, 'hookId' | 'copyOf'>): EntryDraft[] {
    const hookId = randomUUID();
    const duplicate = faults.take('hooks.duplicate', { account: hook.account });
    const copies = Array.from({ length: duplicate === undefined ? 0 : (duplicate.copies ?? 1) }, (): EntryDraft => {
      const copyId = randomUUID();
      // A lane of its own, so that the copies race with the original.
      return { kind: 'hook_queued', ...hook, hookId: copyId, lane: copyId, copyOf: hookId };
    });
    return [{ kind: 'hook_queued', hookId, ...hook }, ...copies];
  }

  return {
    ...delivery,
    /**
     * Return the entries that queue this body for the account, to be appended together with the change they report.
     * Empty if the account has no address or does not subscribe.
     */
    enqueue: (account: string, lane: string, { messages, statuses, channelsUpdates }: HookBody): EntryDraft[] => {
      const { webhooksUri = null, subscriptions } = state.accounts.get(account) ?? {};
      const body: Record<string, unknown[]> = {
        ...(subscriptions?.messagesAndStatuses && messages ? { messages } : {}),
        ...(subscriptions?.messagesAndStatuses && statuses ? { statuses } : {}),
        ...(subscriptions?.channelsUpdates && channelsUpdates ? { channelsUpdates } : {}),
      };
      return webhooksUri === null || Object.keys(body).length === 0 ? [] : queue({ account, lane, body });
    },
    /** The same for a post to an address of its own, retried `retries` times. */
    enqueuePost: (account: string, lane: string, to: { url: string; retries?: number }, body: object) =>
      queue({ account, lane, body: { ...body }, ...to }),
    /** Append the entries and start delivering the hooks among them. */
    append: (...drafts: EntryDraft[]): void => {
      journal.append(...drafts);
      deliver(drafts.flatMap((draft) => (draft.kind === 'hook_queued' ? draft.hookId : [])));
    },
  };
}

type Queued = Omit<Extract<EntryDraft, { kind: 'hook_queued' }>, 'kind'>;

function inOneBody(hooks: readonly { readonly body: Record<string, unknown> }[]): Record<string, unknown[]> {
  const body: Record<string, unknown[]> = {};
  for (const hook of hooks) {
    for (const [name, items] of Object.entries(hook.body))
      body[name] = (body[name] ?? []).concat(Array.isArray(items) ? items : []);
  }
  return body;
}
