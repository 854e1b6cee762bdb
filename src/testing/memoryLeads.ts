/** Leads and settings for tests of the engine in memory. */
import type { Counters, LeadFacts, LinkSettings, Settings } from '../outreach/facts.ts';

export const NOON = Date.UTC(2026, 2, 2, 12);
const DAY = 24 * 3_600_000;

export const linkOf = (more: Partial<LinkSettings> = {}): LinkSettings => ({
  channelId: 1,
  name: 'WhatsApp',
  type: 'whatsapp',
  since: 0,
  canWriteFirst: true,
  blockReason: null,
  resumesAt: null,
  ramp: null,
  firstSentAt: null,
  ...more,
});

/** One follow-up after an hour. */
export const settingsOf = (links: readonly LinkSettings[] = [linkOf()], limit = 100): Settings => ({
  productId: 1,
  zone: 'UTC',
  longDay: null,
  isActive: true,
  isPaused: false,
  expiresHours: 0,
  firstMessages: {
    limits: { whatsapp: limit, telegram: 0 },
    previousLimits: null,
    intervalSeconds: 0,
    jitterSeconds: 0,
    sendAt: 0,
  },
  links,
  replyHours: 'any',
  hours: null,
  pings: {
    configId: 1,
    isEnabled: true,
    onNoReply: true,
    steps: [{ step_number: 1, after_minutes: 60, prepared_message_id: 1, prompt_id: null, document_type: null }],
  },
});

/** A lead that nobody has written to. */
export const leadOf = (id: number): LeadFacts => ({
  id,
  isActive: true,
  optedOut: false,
  personOptOut: null,
  stage: 'initial',
  zone: null,
  eligibleSince: NOON - 2 * DAY,
  contacts: [
    {
      id,
      address: `7900${id}`,
      type: 'whatsapp',
      since: 0,
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

export const NO_QUOTA: Counters = {
  lastAt: null,
  lastLeadId: null,
  isSending: false,
  sentTodayByChannel: new Map(),
  sentTodayByType: { telegram: 0, whatsapp: 0 },
};
