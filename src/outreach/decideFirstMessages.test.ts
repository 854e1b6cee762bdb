/** Which leads of a queue get their first message now. */
import { describe, expect, it } from 'vitest';
import { decideFirstMessages, type QueueFacts } from './decideFirstMessages.ts';
import type { FirstText } from './messageText.ts';
import type { LeadOfProduct } from './store/facts.ts';

const CHANNELS = [7, 8];
const TYPE = 'whatsapp';
const NOW = Date.UTC(2026, 0, 5, 12);

const lead = (id: number, address: string): LeadOfProduct => ({
  id,
  productId: 1,
  isActive: true,
  optedOut: false,
  personOptOut: null,
  stage: 'initial',
  zone: null,
  eligibleSince: NOW - 172_800_000,
  contacts: [
    {
      id: id * 10,
      address,
      type: TYPE,
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

const text = (leadId: number): FirstText => ({
  kind: 'made',
  text: 'Good day!',
  isMarkdown: false,
  prompt: null,
  renderedPrompt: null,
  model: null,
  preparedMessageId: null,
  runId: null,
  variant: null,
  contactId: leadId * 10,
  state: '1',
  retrySeconds: 9,
});

function facts(leads: readonly LeadOfProduct[], limit = 100): QueueFacts {
  return {
    settings: {
      productId: 1,
      zone: 'UTC',
      longDay: null,
      isActive: true,
      isPaused: false,
      expiresHours: 0,
      firstMessages: {
        limits: { telegram: 0, whatsapp: limit },
        previousLimits: null,
        intervalSeconds: 0,
        jitterSeconds: 0,
        sendAt: 0,
      },
      links: CHANNELS.map((channelId) => ({
        channelId,
        name: `Channel ${channelId}`,
        type: TYPE,
        since: 0,
        canWriteFirst: true,
        blockReason: null,
        resumesAt: null,
        ramp: null,
        firstSentAt: null,
      })),
      replyHours: 'any',
      hours: null,
      pings: null,
    },
    counters: {
      now: NOW,
      lastAt: null,
      lastLeadId: null,
      isSending: false,
      sentTodayByChannel: new Map(),
      sentTodayByType: { telegram: 0, whatsapp: 0 },
    },
    leads,
    texts: new Map(leads.map(({ id }) => [id, text(id)])),
    recipients: new Map(
      leads.map(({ id }) => [id * 10, { contactId: id * 10, isContacted: false, unprocessedOn: [] }] as const),
    ),
    suppressed: new Set(),
  };
}

const four = [1, 2, 3, 4].map((id) => lead(id, `7900000000${id}`));
const idsOf = (items: readonly { readonly leadId: number }[]) => items.map(({ leadId }) => leadId);

describe('the head of a queue', () => {
  it('gets what the limit allows, spread over the channels, and the others wait for the next day', () => {
    const decision = decideFirstMessages(facts(four, 3));
    expect(decision.claims.map(({ leadId, channelId }) => [leadId, channelId])).toEqual([
      [1, 7],
      [2, 8],
      [3, 7],
    ]);
    expect(decision).toMatchObject({ failed: [], left: [], pending: [], until: Date.UTC(2026, 0, 6) });
  });

  it('is looked at again when the limit allows, although its own leads are asleep then: others wait behind them', () => {
    const leads = four.map((one) => ({ ...one, zone: 'America/New_York' }));
    const { settings, counters, ...read } = facts(leads, 1);
    const week = Array.from({ length: 7 }, () => ({ start: 0, end: 18 * 60 }));
    const decision = decideFirstMessages({
      ...read,
      settings: { ...settings, hours: { week, zone: 'UTC' } },
      counters: { ...counters, sentTodayByType: { telegram: 0, whatsapp: 1 } },
    });
    expect(decision).toMatchObject({ claims: [], left: [], until: Date.UTC(2026, 0, 6) });
  });

  it('gets one message for two leads with the same address', () => {
    const decision = decideFirstMessages(facts([lead(1, '79000000001'), lead(2, '79000000001')]));
    expect([idsOf(decision.claims), idsOf(decision.pending)]).toEqual([[1], [2]]);
  });

  it('gets one message for two leads with national variants of one number', () => {
    const decision = decideFirstMessages(facts([lead(1, '5511961234567'), lead(2, '551161234567')]));
    expect([idsOf(decision.claims), idsOf(decision.pending)]).toEqual([[1], [2]]);
  });

  it('gets nothing at a number that is not valid, whatever was found before', () => {
    const [first, ...others] = four;
    if (!first) throw new Error('four leads');
    const refusal = { code: 'too_long', number: '79000000001', country: 'RU' } as const;
    const wrong = { ...first, contacts: first.contacts.map((one) => ({ ...one, addressRefusal: refusal })) };
    const decision = decideFirstMessages(facts([wrong, ...others]));
    expect(idsOf(decision.claims)).toEqual([2, 3, 4]);
    expect(decision.left).toMatchObject([
      { leadId: 1, reason: { code: 'invalid_address', refusal: 'too_long', number: '79000000001', country: 'RU' } },
    ]);
  });

  it('leaves a lead without a text to the next batch', () => {
    const all = facts(four);
    const decision = decideFirstMessages({ ...all, texts: new Map([...all.texts].slice(1)) });
    expect([idsOf(decision.claims), idsOf(decision.pending)]).toEqual([[2, 3, 4], [1]]);
  });

  it('gets nothing at a suppressed address, one that was written to, or one that has just written', () => {
    const all = facts(four);
    const decision = decideFirstMessages({
      ...all,
      suppressed: new Set(['79000000001']),
      recipients: new Map([
        ...all.recipients,
        [20, { contactId: 20, isContacted: true, unprocessedOn: [] }],
        [30, { contactId: 30, isContacted: false, unprocessedOn: CHANNELS }],
      ]),
    });
    expect(idsOf(decision.claims)).toEqual([4]);
    expect(decision.failed).toEqual([
      { leadId: 1, reason: { code: 'forgotten' }, pauseSeconds: null },
      { leadId: 2, reason: { code: 'talked' }, pauseSeconds: null },
      { leadId: 3, reason: { code: 'answer_first' }, pauseSeconds: 2 },
    ]);
  });

  it('retries a text that failed for now, and not one that failed for good', () => {
    const failed = { kind: 'failed', reason: 'No', contactId: 10, state: '1', retrySeconds: 9, variant: null } as const;
    const decide = (isPermanent: boolean) =>
      decideFirstMessages({ ...facts(four.slice(0, 1)), texts: new Map([[1, { ...failed, isPermanent }]]) }).failed;
    expect([decide(false), decide(true)]).toMatchObject([[{ pauseSeconds: 9 }], [{ pauseSeconds: null }]]);
  });
});
