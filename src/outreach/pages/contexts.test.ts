/** What the assistant may do on the pages of outreach. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkPageContext, type PageContext } from '../../kit/pageContext.ts';
import { DEFAULT_DAYS } from '../schedule.ts';
import { pingContext } from './pingContext.ts';
import { scheduleContext } from './scheduleContext.ts';

type Schedule = Parameters<typeof scheduleContext>[0];
type Pings = Parameters<typeof pingContext>[0];

const WEEK = { timezone: 'Europe/Moscow', days: DEFAULT_DAYS };
const STORED = { id: 3, product_id: 1, created_at: '2026-11-21T00:00:00.000Z' };
const doing = { save: vi.fn(() => Promise.resolve(true)), reset: vi.fn() };
const store = vi.fn(() => Promise.resolve(true));
beforeEach(() => vi.clearAllMocks());

const run = (context: PageContext, tool: string, args: Record<string, unknown> = {}) =>
  context.handlers?.[tool]?.call(args);
const confirmed = (context: PageContext) =>
  context.tools.filter(({ confirm }) => confirm === true).map(({ name }) => name);

describe('on the page of the schedule', () => {
  const with_ = (state: Partial<Schedule>) =>
    scheduleContext(
      {
        stored: null,
        draft: null,
        state: 'creating',
        changed: false,
        faults: [],
        saving: false,
        error: null,
        begin: vi.fn(),
        edit: vi.fn(),
        store,
        remove: vi.fn(() => Promise.resolve()),
        restore: vi.fn(),
        ...state,
      },
      doing,
    );
  const stored = { ...STORED, timezone: WEEK.timezone, config: { days: { ...DEFAULT_DAYS } } };

  it('what changes anything is confirmed', () => {
    expect(checkPageContext(with_({}))).toBeNull();
    expect(confirmed(with_({}))).toEqual(['create_schedule', 'save_schedule', 'delete_schedule']);
  });

  it('a schedule is created where there is none, by the same rules', async () => {
    const friday = { is_working_day: true, time_start: '10:00', time_end: '14:00' };
    expect(await run(with_({}), 'create_schedule', { timezone: 'Asia/Tokyo', days: { '4': friday } })).toEqual({
      status: 'created',
    });
    expect(store).toHaveBeenCalledWith({ timezone: 'Asia/Tokyo', days: { ...DEFAULT_DAYS, '4': friday } });
    store.mockClear();
    for (const args of [
      { timezone: 'Mars/Base' },
      { days: { '4': { ...friday, time_end: '9' } } },
      { days: { '7': friday } },
      { days: 'all' },
    ])
      expect(await run(with_({}), 'create_schedule', args)).toMatchObject({ status: 'not created' });
    expect(await run(with_({ stored }), 'create_schedule')).toMatchObject({ status: 'not created' });
    expect(store).not.toHaveBeenCalled();
  });

  it('is saved only where something is to be saved, and deleted only where it is', async () => {
    expect(await run(with_({ stored, draft: WEEK, state: 'saved' }), 'save_schedule')).toMatchObject({
      status: 'not saved',
    });
    expect(doing.save).not.toHaveBeenCalled();
    const changed = with_({ stored, draft: WEEK, state: 'changed', changed: true });
    expect(await run(changed, 'save_schedule')).toEqual({ status: 'saved' });
    expect(await run(with_({}), 'delete_schedule')).toMatchObject({ status: 'not deleted' });
    expect(await run(changed, 'delete_schedule')).toEqual({ status: 'deleted' });
  });
});

describe('on the page of the pings', () => {
  const draft = { is_enabled: true, use_on_no_init_msg_reply: true, steps: [] };
  const choice = { rows: [{ id: 4, name: 'Nudge', text: 'Write.' }], failed: false, retry: vi.fn() };
  const texts = { prompt: choice, prepared_message: choice, documentTypes: [] };
  const add = vi.fn(() => 1);
  const replace = vi.fn();
  const with_ = (state: Partial<Pings>) =>
    pingContext(
      {
        stored: null,
        draft: null,
        state: 'creating',
        changed: false,
        faults: [],
        saving: false,
        error: null,
        begin: vi.fn(),
        replace,
        edit: vi.fn(),
        add,
        change: vi.fn(),
        take: vi.fn(),
        store,
        restore: vi.fn(),
        ...state,
      },
      texts,
      doing,
    );

  it('what changes anything is confirmed', () => {
    expect(checkPageContext(with_({}))).toBeNull();
    expect(confirmed(with_({}))).toEqual([
      'create_ping_config',
      'add_ping_step',
      'replace_ping_config',
      'save_ping_config',
    ]);
  });

  it('steps are numbered by their places, and read by the same rules', async () => {
    const steps = [
      { after_minutes: 5, prompt_id: 4 },
      { after_minutes: 10, prepared_message_id: 7 },
    ];
    expect(await run(with_({}), 'create_ping_config', { steps })).toEqual({ status: 'created' });
    expect(store).toHaveBeenCalledWith({
      is_enabled: true,
      use_on_no_init_msg_reply: true,
      steps: [
        expect.objectContaining({ source: 'prompt', after_minutes: 5, prompt_id: 4 }),
        expect.objectContaining({ source: 'prepared_message', after_minutes: 10, prepared_message_id: 7 }),
      ],
    });
    expect(await run(with_({ draft }), 'replace_ping_config', { steps: [{ after_minutes: 0, prompt_id: 4 }] })).toEqual(
      {
        status: 'not replaced',
        reasons: ['Step 1: After minutes must be greater than 0'],
      },
    );
    expect(await run(with_({ draft }), 'replace_ping_config', { steps })).toEqual({ status: 'replaced' });
    expect(replace).toHaveBeenCalledTimes(1);
  });

  it('a step is added to what is there', async () => {
    expect(await run(with_({}), 'add_ping_step', { after_minutes: 5, prompt_id: 4 })).toMatchObject({
      status: 'not added',
    });
    expect(await run(with_({ draft }), 'add_ping_step', { after_minutes: 5 })).toEqual({
      status: 'not added',
      reasons: ['Step 1: Please select an AI prompt'],
    });
    expect(add).not.toHaveBeenCalled();
    expect(await run(with_({ draft }), 'add_ping_step', { after_minutes: 5, prompt_id: 4 })).toEqual({
      status: 'added',
      step_number: 1,
    });
  });
});
