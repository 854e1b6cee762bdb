/** What outreach says of a message that is about to leave: working hours, follow-ups that are no longer wanted, slots. */
import type { ChannelType } from '../channels/contract.ts';
import { readChannel } from '../channels/known.ts';
import { BY_FIRST, noteBegun } from '../dialogues/begun.ts';
import type { Gate, Hold } from '../dialogues/gate.ts';
import { cancelParts } from '../dialogues/parts.ts';
import { type Silence, takeStageBack } from '../leads/changeStage.ts';
import { holdLead, readLead } from '../leads/known.ts';
import { clock } from '../platform/clock.ts';
import { dayAt } from '../platform/days.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { quotaDay } from '../products/quotaDay.ts';
import type { Counters, Settings } from './facts.ts';
import { hoursOf, plan } from './plan.ts';
import { stopIfSilent } from './safety.ts';
import { countersOf, leadFacts, settingsOf } from './store/facts.ts';
import {
  giveSlotBack,
  isOvertaken,
  lockLine,
  noteFirstRefused,
  settleSlot,
  slotSince,
  takeSlot,
  wakeLines,
} from './store/rows.ts';
import { sentenceOf } from './why.ts';

type Message = Parameters<Gate['check']>[1];

/** Why the later parts of a first message do not leave. */
const REFUSED = 'The part before it was refused';

/** Where only a change of settings can help; the change itself brings the message back at once. */
const LOOK_AGAIN_MS = 3_600_000;

const iso = (ms: number) => new Date(ms).toISOString();

/** The gate of the outbox. `silence`: what a lead's stage does to what waits for it. */
export function createGate(silence: Silence): Gate {
  return {
    async check(tx, message, leadId) {
      if (!message.schedule_enabled && message.origin === null) return null;
      const settings = await settingsOf(tx, message.product_id);
      if (!settings) return null;
      const shut = keepsHours(message, settings) ? await outsideHours(tx, settings, leadId) : null;
      if (shut !== null) return shut;
      if (message.origin === 'ping') return unwantedPing(tx, message, settings, leadId);
      if (message.origin === 'first') return slotFor(tx, message, leadId);
      return null;
    },

    async settling(tx, message, leadId) {
      if (message.origin === 'first') await lockLine(tx, message.product_id);
      await holdLead(tx, leadId);
    },

    async settled(tx, message, leadId, outcome) {
      if (outcome === 'accepted') await noteBegun(tx, leadId);
      if (message.origin !== 'first') return;
      if (outcome === 'refused' || outcome === 'refusedForGood') await giveSlotBack(tx, message.id);
      if (outcome === 'refusedForGood') {
        await noteFirstRefused(tx, message.id);
        await cancelParts(tx, message, REFUSED);
      }
      await settleSlot(tx, message.product_id, message.id);
    },

    async foundNobody(tx, message, leadId) {
      if (message.origin !== 'first') return;
      await giveSlotBack(tx, message.id);
      await noteFirstRefused(tx, message.id);
      await cancelParts(tx, message, REFUSED);
      // Nothing else was said to the lead: it is as far as it was before, and its other contact is due.
      const [lead] = await leadFacts(tx, [leadId]);
      if (lead && !lead.talked) await takeStageBack(tx, leadId, BY_FIRST, 'nobody has that address', silence);
      await wakeLines(tx, [message.product_id]);
    },

    async mayRepeat(tx, message) {
      if (message.origin !== 'first') return true;
      // The interval of the one that was claimed since counts from when this one was last in hand; without one, nothing does.
      const settings = await settingsOf(tx, message.product_id);
      if (settings?.firsts?.intervalSeconds === 0) return true;
      return !(await isOvertaken(tx, message.product_id, message.id));
    },
  };
}

/** Whether a message waits for the working hours: a reply of the bot does not where the product replies at any hour. */
function keepsHours(message: Message, { replyHours }: Settings): boolean {
  const isReply = message.author === 'bot' && message.reply_on_msg_id !== null;
  return message.schedule_enabled && !(isReply && replyHours === 'any');
}

/** Shut: until when. Null: open, or no schedule. */
async function outsideHours(reader: Reader, settings: Settings, leadId: number): Promise<Hold | null> {
  if (!settings.hours) return null;
  const lead = await readLead(reader, leadId);
  const now = Date.parse(await clock.now(reader));
  const { open, opening } = hoursOf(lead?.timezone ?? null, settings, now);
  if (open) return null;
  if (opening === null)
    return { kind: 'wait', until: iso(now + LOOK_AGAIN_MS), reason: sentenceOf({ code: 'no_hours' }) };
  return { kind: 'wait', until: iso(opening), reason: sentenceOf({ code: 'hours' }) };
}

/** A follow-up made for settings or a lead that have changed since. */
async function unwantedPing(
  reader: Reader,
  message: Message,
  settings: Settings,
  leadId: number,
): Promise<Hold | null> {
  const lead = await readLead(reader, leadId);
  if (lead?.stage !== 'started' && lead?.stage !== 'ongoing' && lead?.stage !== 'pending')
    return { kind: 'cancel', reason: `The lead is in stage ${lead?.stage}` };
  const { pings } = settings;
  if (!pings?.isEnabled) return { kind: 'cancel', reason: sentenceOf({ code: pings ? 'pings_off' : 'no_pings' }) };
  if ((message.ping_step_number ?? 0) > pings.steps.length)
    return { kind: 'cancel', reason: 'This step was taken out of the follow-ups' };
  return null;
}

/** A first message that was refused for a while takes its slot anew, when there is one. */
async function slotFor(tx: Tx, message: Message, leadId: number): Promise<Hold | null> {
  await lockLine(tx, message.product_id);
  // Read with the line held: whoever changes a limit or the time zone waits for it.
  const settings = await settingsOf(tx, message.product_id);
  if (!settings) return null;
  const counted = await countersOf(tx, settings);
  // What it took when it may have arrived is its own: nobody waits for room that he has.
  const own = await slotSince(tx, message.id, quotaDay(settings, counted.now).from);
  const counters = own ? without(counted, own) : counted;
  const [lead] = await leadFacts(tx, [leadId]);
  const channel = await readChannel(tx, message.channel_id);
  if (!lead || !channel) return null;
  // As if nothing had been said yet, and by no other channel: this very message is the first one.
  const facts = {
    ...lead,
    talked: false,
    stage: 'initial' as const,
    contacts: lead.contacts
      .map((one) => ({ ...one, knownAs: null, busyOn: [], refused: false }))
      .filter((one) => one.id === message.contact_id),
  };
  const links = settings.links.filter((link) => link.channelId === channel.id);
  const [decision] = plan({ leads: [facts], counters }, { ...settings, links }, counters.now);
  if (decision?.kind === 'first') {
    const stopped = await stopIfSilent(tx, channel.id);
    if (stopped !== null) {
      const reason = sentenceOf({ code: 'channel', reason: stopped });
      return { kind: 'wait', until: iso(counters.now + LOOK_AGAIN_MS), reason };
    }
    const { id: channelId, channel_type: type } = channel;
    await giveSlotBack(tx, message.id);
    const day = dayAt(settings.zone, counters.now);
    await takeSlot(tx, { productId: message.product_id, channelId, type, messageId: message.id, leadId, day });
    return null;
  }
  if (decision?.kind !== 'wait') return null;
  return {
    kind: 'wait',
    until: iso(decision.until ?? counters.now + LOOK_AGAIN_MS),
    reason: sentenceOf(decision.why),
  };
}

/** The day's first messages but for one. */
function without(counters: Counters & { now: number }, one: { channelId: number; type: ChannelType }): typeof counters {
  const today = new Map(counters.today);
  today.set(one.channelId, (today.get(one.channelId) ?? 1) - 1);
  return { ...counters, today, ofType: { ...counters.ofType, [one.type]: counters.ofType[one.type] - 1 } };
}
