/** What outreach says of a message that is about to leave: working hours, follow-ups that are no longer wanted, slots. */
import type { ChannelType } from '../channels/contract.ts';
import { readChannel } from '../channels/publicApi.ts';
import { markStarted, STARTED_BY_FIRST_MESSAGE } from '../conversations/markStarted.ts';
import type { SendBlock, SendPolicy } from '../conversations/sendPolicy.ts';
import { type CancelPending, revertStage } from '../leads/changeStage.ts';
import { lockLeadById, readLead } from '../leads/publicApi.ts';
import { cancelRemainingParts } from '../outbox/cancelParts.ts';
import { clock } from '../platform/clock.ts';
import { dayAt } from '../platform/days.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { quotaDay } from '../products/quotaDay.ts';
import { stopIfUnacknowledged } from './channelSafety.ts';
import type { Counters, Settings } from './facts.ts';
import { plan, workingHoursAt } from './plan.ts';
import { reasonText } from './reason.ts';
import { readCounters, readLeadFacts, readSettings } from './store/facts.ts';
import {
  hasNewerFirstMessage,
  lockQueue,
  markFirstMessageRefused,
  markQueuesDue,
  quotaTakenSince,
  restartInterval,
  returnQuota,
  takeQuota,
} from './store/outreach.ts';

type Message = Parameters<SendPolicy['check']>[1];

/** Why the later parts of a first message do not leave. */
const PREVIOUS_PART_REFUSED = 'The part before it was refused';

/** Where only a change of settings can help; the change itself brings the message back at once. */
const RECHECK_MS = 3_600_000;

const iso = (ms: number) => new Date(ms).toISOString();

/** The gate of the outbox. `silence`: what a lead's stage does to what waits for it. */
export function createSendPolicy(cancelPending: CancelPending): SendPolicy {
  return {
    async check(tx, message, leadId) {
      if (!message.schedule_enabled && message.origin === null) return null;
      const settings = await readSettings(tx, message.product_id);
      if (!settings) return null;
      const closedUntil = followsWorkingHours(message, settings) ? await checkWorkingHours(tx, settings, leadId) : null;
      if (closedUntil !== null) return closedUntil;
      if (message.origin === 'ping') return checkFollowUp(tx, message, settings, leadId);
      if (message.origin === 'first') return reserveQuota(tx, message, leadId);
      return null;
    },

    async beforeSettle(tx, message, leadId) {
      if (message.origin === 'first') await lockQueue(tx, message.product_id);
      await lockLeadById(tx, leadId);
    },

    async afterSettle(tx, message, leadId, outcome) {
      if (outcome === 'accepted') await markStarted(tx, leadId);
      if (message.origin !== 'first') return;
      if (outcome === 'refused' || outcome === 'refusedForGood') await returnQuota(tx, message.id);
      if (outcome === 'refusedForGood') {
        await markFirstMessageRefused(tx, message.id);
        await cancelRemainingParts(tx, message, PREVIOUS_PART_REFUSED);
      }
      await restartInterval(tx, message.product_id, message.id);
    },

    async recipientNotFound(tx, message, leadId) {
      if (message.origin !== 'first') return;
      await returnQuota(tx, message.id);
      await markFirstMessageRefused(tx, message.id);
      await cancelRemainingParts(tx, message, PREVIOUS_PART_REFUSED);
      // Nothing else was said to the lead: it is as far as it was before, and its other contact is due.
      const [lead] = await readLeadFacts(tx, [leadId]);
      if (lead && !lead.hasConversation)
        await revertStage(tx, leadId, STARTED_BY_FIRST_MESSAGE, 'nobody has that address', cancelPending);
      await markQueuesDue(tx, [message.product_id]);
    },

    async canRepeat(tx, message) {
      if (message.origin !== 'first') return true;
      // The interval of the one that was claimed since counts from when this one was last in hand; without one, nothing does.
      const settings = await readSettings(tx, message.product_id);
      if (settings?.firstMessages?.intervalSeconds === 0) return true;
      return !(await hasNewerFirstMessage(tx, message.product_id, message.id));
    },
  };
}

/** Whether a message waits for the working hours: a reply of the bot does not where the product replies at any hour. */
function followsWorkingHours(message: Message, { replyHours }: Settings): boolean {
  const isReply = message.author === 'bot' && message.reply_on_msg_id !== null;
  return message.schedule_enabled && !(isReply && replyHours === 'any');
}

/** Shut: until when. Null: open, or no schedule. */
async function checkWorkingHours(reader: Reader, settings: Settings, leadId: number): Promise<SendBlock | null> {
  if (!settings.hours) return null;
  const lead = await readLead(reader, leadId);
  const now = Date.parse(await clock.now(reader));
  const { open, opening } = workingHoursAt(lead?.timezone ?? null, settings, now);
  if (open) return null;
  if (opening === null) return { kind: 'wait', until: iso(now + RECHECK_MS), reason: reasonText({ code: 'no_hours' }) };
  return { kind: 'wait', until: iso(opening), reason: reasonText({ code: 'hours' }) };
}

/** A follow-up made for settings or a lead that have changed since. */
async function checkFollowUp(
  reader: Reader,
  message: Message,
  settings: Settings,
  leadId: number,
): Promise<SendBlock | null> {
  const lead = await readLead(reader, leadId);
  if (lead?.stage !== 'started' && lead?.stage !== 'ongoing' && lead?.stage !== 'pending')
    return { kind: 'cancel', reason: `The lead is in stage ${lead?.stage}` };
  const { pings } = settings;
  if (!pings?.isEnabled) return { kind: 'cancel', reason: reasonText({ code: pings ? 'pings_off' : 'no_pings' }) };
  if ((message.ping_step_number ?? 0) > pings.steps.length)
    return { kind: 'cancel', reason: 'This step was taken out of the follow-ups' };
  return null;
}

/** A first message that was refused for a while takes its slot anew, when there is one. */
async function reserveQuota(tx: Tx, message: Message, leadId: number): Promise<SendBlock | null> {
  await lockQueue(tx, message.product_id);
  // Read with the line held: whoever changes a limit or the time zone waits for it.
  const settings = await readSettings(tx, message.product_id);
  if (!settings) return null;
  const allCounters = await readCounters(tx, settings);
  // What it took when it may have arrived is its own: nobody waits for room that he has.
  const ownQuota = await quotaTakenSince(tx, message.id, quotaDay(settings, allCounters.now).from);
  const counters = ownQuota ? withoutQuotaOf(allCounters, ownQuota) : allCounters;
  const [lead] = await readLeadFacts(tx, [leadId]);
  const channel = await readChannel(tx, message.channel_id);
  if (!lead || !channel) return null;
  // As if nothing had been said yet, and by no other channel: this very message is the first one.
  const facts = {
    ...lead,
    hasConversation: false,
    stage: 'initial' as const,
    contacts: lead.contacts
      .map((one) => ({ ...one, contactedAsLeadId: null, addressTakenOn: [], refused: false }))
      .filter((one) => one.id === message.contact_id),
  };
  const links = settings.links.filter((link) => link.channelId === channel.id);
  const [decision] = plan({ leads: [facts], counters }, { ...settings, links }, counters.now);
  if (decision?.kind === 'first') {
    const blockReason = await stopIfUnacknowledged(tx, channel.id);
    if (blockReason !== null) {
      const reason = reasonText({ code: 'channel', reason: blockReason });
      return { kind: 'wait', until: iso(counters.now + RECHECK_MS), reason };
    }
    const { id: channelId, channel_type: type } = channel;
    await returnQuota(tx, message.id);
    const day = dayAt(settings.zone, counters.now);
    await takeQuota(tx, { productId: message.product_id, channelId, type, messageId: message.id, leadId, day });
    return null;
  }
  if (decision?.kind !== 'wait') return null;
  return {
    kind: 'wait',
    until: iso(decision.until ?? counters.now + RECHECK_MS),
    reason: reasonText(decision.reason),
  };
}

/** The day's first messages but for one. */
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
