/** Statuses of a sent message: sent, delivered, read or error, each after its pause and reported by a hook. */
import { chatpushStatus, type Step } from './chatpush/webhooks.ts';
import type { Fault, PhoneMessage } from './contract.ts';
import type { Parts } from './parts.ts';
import { isStatusAdvance } from './state.ts';

const STEPS: readonly Step[] = [{ status: 'sent' }, { status: 'delivered' }, { status: 'read' }];

export type Receipts = ReturnType<typeof createReceipts>;

export function createReceipts(parts: Parts) {
  const { state, timers, faults } = parts;

  function later(messageId: string, ...steps: readonly Step[]): void {
    const { sentMs, deliveredMs, readMs } = state.settings.statuses;
    const pauses = { sent: sentMs, delivered: deliveredMs, read: readMs, error: deliveredMs };
    for (const step of steps) timers.after(pauses[step.status], () => record(parts, messageId, step));
  }

  return {
    /** Set one status now; returns the hook's id if one is queued. */
    record: (messageId: string, step: Step) => record(parts, messageId, step),
    /** Plan the statuses of an accepted message; `failing` is the fault that keeps it from the phone. */
    plan: (messageId: string, failing?: Fault): void => {
      const message = state.messages.get(messageId)?.message;
      if (message === undefined) return;
      const vendor = vendorOf(parts, message);
      if (failing !== undefined) {
        const code = failing.code ?? (vendor === 'chatpush' ? '44' : 'BAD_CONTACT');
        return later(messageId, { status: 'sent' }, { status: 'error', code });
      }
      const { account, channelId, text } = message;
      const occasion = { account, channelId, text };
      if (faults.take(`${vendor}.dead_channel`, occasion) !== undefined) return later(messageId, { status: 'sent' });
      if (faults.take(`${vendor}.statuses_reordered`, occasion) === undefined) return later(messageId, ...STEPS);
      const { sentMs, deliveredMs, readMs } = state.settings.statuses;
      for (const [index, ms] of [readMs, deliveredMs, sentMs].entries())
        timers.after(ms, () => record(parts, messageId, STEPS[index] ?? { status: 'sent' }));
    },
    /** Plan again what a killed process had planned. */
    resume: (): void => {
      for (const { message } of state.messages.values()) {
        if (message.author !== 'api' || message.status === 'error') continue;
        const { messageId, status, error } = message;
        if (error !== undefined) later(messageId, { status: 'error', code: error });
        else later(messageId, ...STEPS.filter((step) => isStatusAdvance(status, step.status)));
      }
    },
  };
}

function vendorOf({ state }: Parts, { channelId }: PhoneMessage): 'wazzup24' | 'chatpush' {
  return state.channels.get(channelId)?.vendor ?? 'wazzup24';
}

function record(parts: Parts, messageId: string, step: Step): string | undefined {
  const existing = parts.state.messages.get(messageId);
  if (existing === undefined) return undefined;
  const { account, channelId, chatId } = existing.message;
  const error = step.code === undefined ? {} : { error: { error: step.code, description: describeCode(step.code) } };
  const status = { messageId, timestamp: parts.clock.iso(), status: step.status, ...error };
  const hooks =
    vendorOf(parts, existing.message) === 'chatpush'
      ? chatpushStatus(parts, existing.message, step)
      : parts.hooks.enqueue(account, `${channelId} ${chatId}`, { statuses: [status] });
  parts.hooks.append({ kind: 'status', messageId, status: step.status, code: step.code }, ...hooks);
  const [first] = hooks;
  return first?.kind === 'hook_queued' ? first.hookId : undefined;
}

/** Describe a code; the vendor's descriptions are longer and mean the same. */
function describeCode(code: string): string {
  if (code === 'BAD_CONTACT') return 'There is no such user in this messenger';
  return `The vendor answered ${code}`;
}
