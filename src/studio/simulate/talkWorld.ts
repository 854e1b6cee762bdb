/**
 * The circumstances of simulated talks, as the product had them when the run was made: working hours, follow-ups, its
 * channel and what it does when the bot hands over. Stored with the run, so that a talk that is resumed finds the same.
 */
import { z } from 'zod';
import { channelTypes, channelVendors } from '../../channels/contract.ts';
import type { Stage } from '../../leads/contract.ts';
import type { PingConfig, ScheduleConfig } from '../../outreach/contract.ts';
import type { Counters, LeadFacts, Settings } from '../../outreach/facts.ts';
import { toSettings } from '../../outreach/settings.ts';
import { type ProductConfig, replyHours } from '../../products/contract.ts';
import { type CaseFacts, caseFacts } from '../caseContract.ts';

/** Settings as they are stored: they were checked when they were written, by the rules of that time. */
const stored = <T extends object>() => z.custom<T>((value) => typeof value === 'object' && value !== null);

export const talkWorld = z.object({
  /** When talks begin, ms since 1970 UTC. */
  from: z.number(),
  timezone: z.string(),
  config: stored<ProductConfig>(),
  reply_hours: z.enum(replyHours),
  schedule: z.object({ timezone: z.string(), config: stored<ScheduleConfig>() }).nullable(),
  pings: z.object({ id: z.int(), is_enabled: z.boolean(), config: stored<PingConfig['config']>() }).nullable(),
  channel: z.object({
    type: z.enum(channelTypes),
    vendor: z.enum(channelVendors),
    can_write_first: z.boolean(),
    delay_messages_symbols_per_second: z.number().nullable(),
    delay_messages_seconds: z.number().nullable(),
  }),
  hand_over: z.boolean(),
  hand_over_text: z.string(),
  /** Minutes after which stage detection names the stage; null: the product has none. */
  detection_minutes: z.int().nullable(),
  /** The template of our first message; null: the lead writes first. */
  first_message: z.string().nullable(),
  /** What each follow-up sends. */
  steps: z.array(
    z.object({
      step_number: z.int(),
      template: z.string().nullable(),
      prompt: z.object({ id: z.int(), name: z.string(), version: z.int(), text: z.string() }).nullable(),
    }),
  ),
  /** Texts that the model can look up. */
  texts: caseFacts.shape.texts.unwrap(),
});
export type TalkWorld = z.output<typeof talkWorld>;

export const LEAD_ID = 1;
export const CHANNEL_ID = 1;
export const CONTACT_ID = 1;

/** Leads have no names of real people. */
const LEAD_NAME = 'Alex';
const LEAD_CONTACT = '79990000000';

/** The facts of a simulated lead. */
export const leadFacts = (world: TalkWorld, { now, stage }: { now: number; stage: Stage }): CaseFacts => ({
  lead: { name: LEAD_NAME, stage, crm_fields: {} },
  contact: { contact: LEAD_CONTACT, type: world.channel.type },
  documents: {},
  now: new Date(now).toISOString(),
  texts: world.texts,
  notes: [],
  may_hand_over: world.hand_over,
  as_of_creation: [],
});

/** Build the settings of the engine. The product's limits and pauses do not hold a simulated lead back. */
export function settingsOf(world: TalkWorld, productId: number): Settings {
  const settings = toSettings({
    productId,
    zone: world.timezone,
    longDay: null,
    previousLimits: null,
    isActive: true,
    isPaused: false,
    config: world.config,
    replyHours: world.reply_hours,
    schedule: world.schedule,
    pings: world.pings,
    links: [
      {
        channelId: CHANNEL_ID,
        name: 'Simulated',
        type: world.channel.type,
        since: 0,
        canWriteFirst: world.channel.can_write_first,
        blockReason: null,
        resumesAt: null,
        ramp: null,
        firstSentAt: null,
      },
    ],
  });
  return { ...settings, firstMessages: world.first_message === null ? null : settings.firstMessages };
}

export const NO_COUNTERS: Counters = {
  lastAt: null,
  lastLeadId: null,
  isSending: false,
  sentTodayByChannel: new Map(),
  sentTodayByType: { telegram: 0, whatsapp: 0 },
};

/** A lead who has just come. */
export const newLead = ({ from, channel }: TalkWorld): LeadFacts => ({
  id: LEAD_ID,
  isActive: true,
  optedOut: false,
  personOptOut: null,
  stage: 'initial',
  zone: null,
  eligibleSince: from,
  contacts: [
    {
      id: CONTACT_ID,
      address: LEAD_CONTACT,
      type: channel.type,
      since: from,
      refused: false,
      contactedAsLeadId: null,
      addressTakenOn: [],
      addressRefusal: null,
    },
  ],
  hasConversation: false,
  dialogue: null,
  lastUserAt: null,
  owesAnswer: false,
  answeredAt: null,
  humanOwned: false,
});
