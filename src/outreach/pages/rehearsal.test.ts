/** The texts and the calendar of a rehearsal, and the context it gives the assistant. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_PRODUCT_CONFIG } from '../../products/contract.ts';
import { checkPageContext } from '../../ui/pageContext.ts';
import type { Consequences, Rehearsal } from '../rehearsalContract.ts';
import { blanksBefore, dayAfterKey, sumDays, toCalendar } from './calendar.ts';
import { describeEffects } from './effects.ts';
import { findMissingSetup } from './missingSetup.ts';
import { describeReason } from './RehearsalSilent.tsx';
import { rehearsalContext } from './rehearsalContext.ts';
import { rehearsalParams, rehearsalState } from './rehearsalUrl.ts';

const day = (at: string, first = 0, ping = 0, scheduled = 0, expired = 0) => ({
  day: at,
  first,
  ping,
  scheduled,
  expired,
});

describe('the calendar', () => {
  it('starts on the right weekday and marks days at the limit', () => {
    const days = [day('2026-11-21', 2, 1), day('2026-11-22', 0, 0, 1, 3)];
    expect(blanksBefore(days)).toBe(5);
    expect(blanksBefore([day('2026-11-23')])).toBe(0);
    expect(blanksBefore([day('2026-11-29')])).toBe(6);
    const [saturday, sunday] = toCalendar({ days, limits: [{ day: '2026-11-21', type: 'whatsapp' }] });
    expect(saturday).toMatchObject({ messages: 3, limits: ['whatsapp'] });
    expect(sunday).toMatchObject({ messages: 1, expired: 3, limits: [] });
    expect(sumDays(days)).toEqual({ first: 2, ping: 1, scheduled: 1, expired: 3, messages: 4 });
  });

  it.each([
    ['ArrowLeft', 0, 0],
    ['ArrowRight', 8, 9],
    ['ArrowRight', 9, 9],
    ['ArrowUp', 6, 6],
    ['ArrowUp', 8, 1],
    ['ArrowDown', 2, 9],
    ['ArrowDown', 4, 4],
    ['Home', 5, 0],
    ['End', 5, 9],
    ['Enter', 5, null],
  ])('%s from day %i of ten leads to %s', (key, at, to) => {
    expect(dayAfterKey(key, at, 10)).toBe(to);
  });
});

describe('a change', () => {
  const none: Consequences = {
    timezone: 'UTC',
    before: 240,
    after: 240,
    moved: 0,
    added: 0,
    dropped: 0,
    dropped_by_expiry: 0,
    limits: [],
    after_hours: 0,
    at_once: 0,
    expired_before: 0,
    expired_after: 0,
    expired_at_once: 0,
  };
  const effectTexts = (change: Partial<Consequences>) =>
    describeEffects({ ...none, ...change }).map(({ text }) => text);
  const year = new Date().getUTCFullYear() + 1;

  it('is described in words', () => {
    expect(effectTexts({})).toEqual(['Nothing changes']);
    expect(effectTexts({ moved: 143, dropped: 15, dropped_by_expiry: 12 })).toEqual([
      '143 messages move, 12 fewer messages by expiry, 3 fewer messages',
    ]);
    expect(effectTexts({ moved: 1, added: 1, dropped: 1 })).toEqual([
      '1 message moves, 1 more message, 1 fewer message',
    ]);
    expect(effectTexts({ moved: 12_345 })).toEqual(['12,345 messages move']);
    expect(effectTexts({ after_hours: 2 })).toEqual([
      '2 leads get no first message: Send at is after their working hours',
    ]);
    expect(describeEffects({ ...none, at_once: 7, added: 7 })).toEqual([
      { text: '7 would be sent within the next hour', isWarning: true },
      { text: '7 more messages', isWarning: false },
    ]);
  });

  it('counts expiring leads, with or without planned messages', () => {
    expect(effectTexts({ expired_before: 2, expired_after: 11, expired_at_once: 9 })).toEqual([
      '9 leads would expire within the next hour',
      '9 more leads expire',
    ]);
    expect(effectTexts({ expired_before: 3, expired_after: 2 })).toEqual(['1 fewer lead expires']);
    expect(effectTexts({ expired_before: 3, expired_after: 3 })).toEqual(['Nothing changes']);
  });

  it('names the first days that reach a limit', () => {
    const on = (...days: number[]) => days.map((one) => ({ day: `${year}-03-0${one}`, type: 'whatsapp' as const }));
    expect(effectTexts({ limits: on(1) })).toEqual([
      expect.stringMatching(/^\w+,? 1 March \d+ reaches the limit on WhatsApp$/),
    ]);
    expect(effectTexts({ limits: on(1, 2) })).toEqual([
      expect.stringMatching(/1 March .*2 March \d+ reach the limit on Wh/),
    ]);
    expect(effectTexts({ limits: on(1, 2, 3) })).toEqual([
      expect.stringMatching(/2 March \d+ and 1 more day reach the/),
    ]);
    expect(effectTexts({ limits: [...on(1), { day: `${year}-03-01`, type: 'telegram' }] })).toEqual([
      expect.stringContaining('on Telegram'),
      expect.stringContaining('on WhatsApp'),
    ]);
  });
});

it('restores its state from the address and ignores invalid values', () => {
  const state = { days: 92, day: '2026-11-24', kinds: ['ping', 'scheduled'] as const, page: 3, size: 10 };
  expect(rehearsalState(rehearsalParams(state))).toEqual(state);
  const usual = { days: 30, day: undefined, kinds: [], page: 0, size: 25 };
  expect(rehearsalState({})).toEqual(usual);
  expect(rehearsalState({ days: '31', day: '2026-13-01', kind: 'x', list_page: '-1', list_size: '7' })).toEqual(usual);
  expect(Object.values(rehearsalParams(usual)).filter((one) => one !== undefined)).toEqual([]);
});

it('names missing settings with their page', () => {
  const product = (tg: number, isActive = true) => ({
    is_active: isActive,
    config: {
      ...DEFAULT_PRODUCT_CONFIG,
      messaging_config: {
        tg_daily_limit: tg,
        whatsapp_daily_limit: 0,
        add_interval_seconds: 180,
        add_interval_jitter_seconds: 0,
        initial_message_send_at: '10:30',
        initial_message_document_prompt_id: null,
        initial_message_prepared_message_id: null,
        initial_message_text: 'Good day!',
      },
    },
  });
  const pages = (...args: Parameters<typeof findMissingSetup>) =>
    findMissingSetup(...args).map(({ page, params }) => [page, params]);
  const bare = { is_active: true, config: DEFAULT_PRODUCT_CONFIG };
  expect(pages(bare, null)).toEqual([
    ['settings-product', { tab: 'outreach' }],
    ['settings-ping', {}],
  ]);
  expect(pages(product(5), { is_enabled: true })).toEqual([]);
  expect(findMissingSetup(product(0), { is_enabled: false }).map(({ sentence: what }) => what)).toEqual([
    'No first messages: the daily limits are 0.',
    'No follow-ups: they are off.',
  ]);
  expect(pages(product(5, false), { is_enabled: true })).toEqual([['settings-product', { tab: 'general' }]]);
});

it('describes an empty period differently from a moment', () => {
  expect(describeReason({ code: 'line', ahead: 4 })).toBe('Still queued for a first message at the end of the period');
  expect(describeReason({ code: 'step', step: 2 })).toBe('Follow-up 2 comes after the period');
  expect(describeReason({ code: 'human' })).toBe('A teammate is replying');
});

it('gives the assistant all data and read-only tools', () => {
  const played: Rehearsal = {
    from: '2026-11-21T10:00:00.000Z',
    to: '2026-12-21T10:00:00.000Z',
    leads: 3,
    cut: false,
    days: [day('2026-11-21', 2), day('2026-11-22')],
    limits: [{ day: '2026-11-21', type: 'whatsapp' }],
    silent: [{ why: { code: 'human' }, leads: 1 }],
    items: [],
    total: 2,
    page: 1,
    limit: 25,
  };
  const state = rehearsalState({});
  const show = () => undefined;
  for (const context of [
    rehearsalContext({ productId: 1, state, rehearsal: undefined, missing: undefined, show }),
    rehearsalContext({ productId: 1, state, rehearsal: played, missing: [], show }),
  ]) {
    expect(checkPageContext(context)).toBeNull();
    expect(context.tools.some(({ confirm }) => confirm)).toBe(false);
  }
  const { rehearsal } = JSON.parse(
    rehearsalContext({ productId: 1, state, rehearsal: played, missing: [], show }).summary,
  );
  expect(rehearsal).toMatchObject({
    totals: { messages: 2 },
    days: [{ day: '2026-11-21' }],
    silent: [{ leads: 1, why: 'A teammate is replying' }],
  });
});
