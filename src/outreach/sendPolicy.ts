/**
 * The rules of outreach for a message that is about to be sent: working hours, obsolete follow-ups and the daily quota.
 */

import type { ChannelType } from '../channels/contract.ts';
import { findChannel } from '../channels/store.ts';
import type { SendBlock, SendPolicy } from '../conversations/sendPolicy.ts';
import { hasOtherConversation } from '../conversations/store/conversation.ts';
import type { MessageRow } from '../conversations/store/tables.ts';
import { STARTED_BY_FIRST_MESSAGE } from '../engine/steps/markStarted.ts';
import { type CancelPending, revertStage } from '../leads/changeStage.ts';
import { cancelRemainingParts } from '../outbox/cancelParts.ts';
import { dayAt } from '../platform/days.ts';
import type { Tx } from '../platform/db.ts';
import type { Hasher } from '../platform/secretCipher.ts';
import { quotaDay } from '../products/quotaDay.ts';
import { stopUnacknowledged } from './channelSafety.ts';
import { checkQuota, checkSend, iso, PREVIOUS_PART_REFUSED, RECHECK_MS } from './checkSend.ts';
import type { Counters } from './facts.ts';
import { reasonText } from './reason.ts';
import { readCounters, readLeadFacts } from './store/facts.ts';
import {
  findLastFirstMessages,
  lockQueues,
  lockQueuesToSettle,
  markFirstMessagesRefused,
  markQueuesDue,
  quotaTakenSince,
  restartIntervals,
  returnQuotas,
  takeQuotas,
  unmarkFirstMessageRefused,
} from './store/firstMessages.ts';
import { readAllSettings, readSettings } from './store/planSettings.ts';

/**
 * Create the send policy of the outbox. `cancelPending` cancels what waits for a lead when its stage changes; by `hasher`
 * people are found who want no more messages.
 */
export function createSendPolicy(cancelPending: CancelPending, hasher: Hasher): SendPolicy {
  return {
    async loadCheck(tx, productIds) {
      const all = await readAllSettings(tx, productIds);
      return (due) => {
        const settings = all.get(due.message.product_id);
        return settings ? checkSend(due, settings) : null;
      };
    },

    reserveQuota: (tx, message, leadId) => reserveQuota(tx, { hasher, message, leadId }),

    lockQueues: (tx, messages) =>
      lockQueuesToSettle(
        tx,
        messages
          .filter(({ message }) => message.origin === 'first')
          .map(({ message: { id, product_id }, changesQuota }) => ({ id, product_id, changesQuota })),
      ),

    afterSettle,

    async recipientNotFound(tx, message, leadId) {
      if (message.origin !== 'first') return;
      await returnQuotas(tx, [message.id]);
      await refuseForGood(tx, [message]);
      // The lead has received nothing else: its stage goes back to what it was, and its other contact is due.
      const [lead] = await readLeadFacts(tx, hasher, [leadId]);
      if (lead && !lead.hasConversation)
        await revertStage(tx, {
          id: leadId,
          by: STARTED_BY_FIRST_MESSAGE,
          reason: 'nobody has that address',
          cancelPending,
        });
      await markQueuesDue(tx, [message.product_id]);
    },

    async findRepeatable(tx, messages) {
      const firsts = messages.filter(({ origin }) => origin === 'first');
      const newest = firsts.length > 0 ? await findLastFirstMessages(tx, firsts) : new Map<number, number | null>();
      // The interval of a newer first message counts from this one's last claim, so repeating this one would break it.
      const repeatable = messages.filter(
        ({ id, origin, product_id: product }) =>
          origin !== 'first' || !newest.has(product) || newest.get(product) === id,
      );
      return new Set(repeatable.map(({ id }) => id));
    },
  };
}

/** Record the outcomes of messages: what they take of the day's quota, and when the next one may leave. */
async function afterSettle(tx: Tx, settled: Parameters<SendPolicy['afterSettle']>[1]): Promise<void> {
  const firsts = settled.filter(({ message }) => message.origin === 'first');
  const refused = firsts.filter(({ outcome }) => outcome === 'refused' || outcome === 'refusedForGood');
  await returnQuotas(
    tx,
    refused.map(({ message }) => message.id),
  );
  await refuseForGood(
    tx,
    refused.filter(({ outcome }) => outcome === 'refusedForGood').map(({ message }) => message),
  );
  await restartIntervals(
    tx,
    firsts.map(({ message: { id, product_id }, outcome }) => ({
      id,
      product_id,
      changesQuota: outcome === 'refused' || outcome === 'refusedForGood',
    })),
  );
}

/** Mark first messages as refused for good, and cancel the parts of their texts that have not left. */
async function refuseForGood(tx: Tx, messages: readonly MessageRow[]): Promise<void> {
  await markFirstMessagesRefused(
    tx,
    messages.map(({ id }) => id),
  );
  for (const message of messages) await cancelRemainingParts(tx, message, PREVIOUS_PART_REFUSED);
}

/** Take a new quota slot for a first message that is sent again, if one is free. Cancel it if there is a conversation. */
async function reserveQuota(
  tx: Tx,
  { hasher, message, leadId }: { hasher: Hasher; message: MessageRow; leadId: number },
): Promise<SendBlock | null> {
  await lockQueues(tx, [message.product_id]);
  // Since it was refused, another contact of the lead may have got a first message, or the lead may have written.
  if (await hasOtherConversation(tx, message.id)) return { kind: 'cancel', reason: reasonText({ code: 'talked' }) };
  // Read the settings with the queue locked: a change of a limit or of the time zone waits for that lock.
  const settings = await readSettings(tx, message.product_id);
  if (!settings) return null;
  const allCounters = await readCounters(tx, settings);
  // A slot that this message took when it may have arrived is its own: it must not wait for room it already has.
  const ownQuota = await quotaTakenSince(tx, message.id, quotaDay(settings, allCounters.now).from);
  const counters = ownQuota ? withoutQuotaOf(allCounters, ownQuota) : allCounters;
  const [lead] = await readLeadFacts(tx, hasher, [leadId]);
  const channel = await findChannel(tx, message.channel_id);
  if (!lead || !channel) return null;
  const links = settings.links.filter((link) => link.channelId === channel.id);
  const block = checkQuota(lead, message.contact_id, { counters, settings: { ...settings, links }, now: counters.now });
  if (block !== null) return block;
  const blockReason = (await stopUnacknowledged(tx, [channel.id])).get(channel.id);
  if (blockReason !== undefined) {
    const reason = reasonText({ code: 'channel', reason: blockReason });
    return { kind: 'wait', until: iso(counters.now + RECHECK_MS), reason };
  }
  const { id: channelId, channel_type: type } = channel;
  await returnQuotas(tx, [message.id]);
  await unmarkFirstMessageRefused(tx, message.id);
  const day = dayAt(settings.zone, counters.now);
  const firsts = [{ channelId, type, messageId: message.id, leadId }];
  await takeQuotas(tx, { productId: message.product_id, day, firsts });
  return null;
}

/** Subtract one message from the day's counters. */
function withoutQuotaOf(
  counters: Counters & { now: number },
  one: { channelId: number; type: ChannelType },
): typeof counters {
  const today = new Map(counters.sentTodayByChannel);
  today.set(one.channelId, (today.get(one.channelId) ?? 1) - 1);
  return {
    ...counters,
    sentTodayByChannel: today,
    sentTodayByType: { ...counters.sentTodayByType, [one.type]: counters.sentTodayByType[one.type] - 1 },
  };
}
