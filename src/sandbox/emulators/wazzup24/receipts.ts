/** Statuses of a sent message: sent, delivered, read or error, each after its pause and reported by a hook. */

import { chatpushStatus } from '../chatpush/webhooks.ts';
import type { DomainClock, Timers } from '../clock.ts';
import type { Fault, PhoneMessage } from '../contract.ts';
import type { EntryDraft } from '../entries.ts';
import type { Faults } from '../faults.ts';
import type { Journal } from '../journal.ts';
import { isStatusAdvance, type State } from '../state.ts';
import type { Hooks } from './hooks.ts';

type Step = { status: 'sent' | 'delivered' | 'read' | 'error'; code?: string | undefined };

export interface Receipts {
  /** Plan the statuses of an accepted message; `failing` is the fault that keeps it from the phone. */
  plan(messageId: string, failing?: Fault): void;
  /** Set one status now; returns the hook's id if one is queued. */
  record(messageId: string, step: Step): string | undefined;
  /** Open this chat on the phone: delivered messages become read. */
  open(address: string, channelId?: string): number;
  /** Plan again what a killed process had planned. */
  resume(): void;
}

export function receipts(parts: {
  state: State;
  journal: Journal;
  clock: DomainClock;
  timers: Timers;
  faults: Faults;
  hooks: Hooks;
}): Receipts {
  const { state, journal, clock, timers, faults, hooks } = parts;
  function plan(messageId: string, fault?: Fault): void {
    const { sentMs, deliveredMs, readMs, read } = state.settings.statuses;
    if (fault !== undefined) {
      later(messageId, sentMs, { status: 'sent' });
      later(messageId, deliveredMs, { status: 'error', code: fault.code ?? failureCode(messageId) });
      return;
    }
    const steps: Step[] = [{ status: 'sent' }, { status: 'delivered' }];
    if (read === 'auto') steps.push({ status: 'read' });
    const pauses = [sentMs, deliveredMs, readMs];
    const existing = state.messages.get(messageId)?.message;
    const occasion = { account: existing?.account, channelId: existing?.channelId, text: existing?.text };
    const vendor = vendorOf(messageId);
    if (faults.take(`${vendor}.dead_channel`, occasion) !== undefined)
      return later(messageId, sentMs, { status: 'sent' });
    if (faults.take(`${vendor}.statuses_reordered`, occasion) !== undefined) steps.reverse();
    for (const [index, step] of steps.entries()) later(messageId, pauses[index] ?? readMs, step);
  }

  function vendorOf(messageId: string): 'wazzup24' | 'chatpush' {
    const channelId = state.messages.get(messageId)?.message.channelId;
    return (channelId === undefined ? undefined : state.channels.get(channelId)?.vendor) ?? 'wazzup24';
  }

  const failureCode = (messageId: string): string => (vendorOf(messageId) === 'chatpush' ? '44' : 'BAD_CONTACT');

  function later(messageId: string, ms: number, step: Step): void {
    timers.after(ms, () => record(messageId, step));
  }

  function record(messageId: string, step: Step): string | undefined {
    const existing = state.messages.get(messageId);
    if (existing === undefined) return undefined;
    const { account, channelId, chatId } = existing.message;
    const error = step.code === undefined ? {} : { error: { error: step.code, description: describeCode(step.code) } };
    const status = { messageId, timestamp: clock.iso(), status: step.status, ...error };
    const drafts =
      vendorOf(messageId) === 'chatpush'
        ? chatpushStatus(parts, existing, step)
        : hooks.enqueue(account, `${channelId} ${chatId}`, { statuses: [status] });
    const entry: EntryDraft = { kind: 'status', messageId, status: step.status, code: step.code };
    journal.append(entry, ...drafts);
    hooks.deliver(drafts);
    const [first] = drafts;
    return first?.kind === 'hook_queued' ? first.hookId : undefined;
  }

  return {
    plan,
    record,
    open: (address, channelId) => {
      const unread = (state.phones.get(address)?.messages ?? []).filter(
        (message) => isOurs(message, channelId) && isStatusAdvance(message.status, 'read'),
      );
      for (const message of unread) {
        if (isStatusAdvance(message.status, 'delivered')) record(message.messageId, { status: 'delivered' });
        record(message.messageId, { status: 'read' });
      }
      return unread.length;
    },
    resume: () => {
      const { sentMs, deliveredMs, readMs, read } = state.settings.statuses;
      for (const { message } of state.messages.values()) {
        if (message.author !== 'api' || message.status === 'error') continue;
        if (message.error !== undefined) {
          later(message.messageId, deliveredMs, { status: 'error', code: message.error });
          continue;
        }
        if (isStatusAdvance(message.status, 'sent')) later(message.messageId, sentMs, { status: 'sent' });
        if (isStatusAdvance(message.status, 'delivered'))
          later(message.messageId, deliveredMs, { status: 'delivered' });
        if (read === 'auto' && isStatusAdvance(message.status, 'read'))
          later(message.messageId, readMs, { status: 'read' });
      }
    },
  };
}

function isOurs(message: PhoneMessage, channelId: string | undefined): boolean {
  return message.author === 'api' && (channelId === undefined || message.channelId === channelId);
}

/** Describe a code; the vendor's descriptions are longer and mean the same. */
function describeCode(code: string): string {
  if (code === 'BAD_CONTACT') return 'There is no such user in this messenger';
  return `The vendor answered ${code}`;
}
