/** What the assistant may do on the pages of outreach. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkPageContext, type PageContext, Undoable } from '../../ui/pageContext.ts';
import type { ViewRef } from '../../ui/undo.ts';
import { DEFAULT_DAYS } from '../schedule.ts';
import { pingContext } from './pingContext.ts';
import { scheduleContext } from './scheduleContext.ts';
import { type PlainPings, toDraft } from './usePings.ts';
import type { ScheduleDraft } from './useSchedule.ts';

type Schedule = Parameters<typeof scheduleContext>[0];
type Pings = Parameters<typeof pingContext>[0];

const WEEK = { timezone: 'Europe/Moscow', days: DEFAULT_DAYS };
const STORED = { id: 3, product_id: 1, created_at: '2026-11-21T00:00:00.000Z', version: 1 };
const actions = { save: vi.fn(() => Promise.resolve(true)), reset: vi.fn() };
const store = vi.fn(() => Promise.resolve(true));
const undo = vi.fn((_before: unknown, _after: unknown) => ({ unchanged: () => true, run: () => undefined }));
beforeEach(() => vi.clearAllMocks());

async function run(context: PageContext, tool: string, args: Record<string, unknown> = {}) {
  const result = await context.handlers?.[tool]?.call(args);
  if (!(result instanceof Undoable)) throw new Error(`${tool} cannot be taken back`);
  return result;
}
const confirmedTools = (context: PageContext) =>
  context.tools.filter(({ confirm }) => confirm === true).map(({ name }) => name);

/** Create a page view that shows what is set on it. */
function createView<T>(value: T): ViewRef<{ value: T; set: (next: T) => void }> {
  const view: ViewRef<{ value: T; set: (next: T) => void }> = { current: null };
  const set = (next: T) => {
    view.current = { value: next, set };
  };
  set(value);
  return view;
}

describe('on the page of the schedule', () => {
  const with_ = (state: Partial<Schedule>) =>
    scheduleContext(
      {
        stored: null,
        draft: null,
        newZone: 'Europe/Riga',
        state: 'creating',
        changed: false,
        faults: [],
        store,
        remove: vi.fn(() => Promise.resolve()),
        view: { current: null },
        undo,
        ...state,
      },
      actions,
    );
  const stored = { ...STORED, timezone: WEEK.timezone, config: { days: { ...DEFAULT_DAYS } } };

  it('confirms every change', () => {
    expect(checkPageContext(with_({}))).toBeNull();
    expect(confirmedTools(with_({}))).toEqual([
      'create_schedule',
      'change_schedule',
      'save_schedule',
      'reset_schedule',
      'delete_schedule',
    ]);
  });

  it('creates a missing schedule by the same rules', async () => {
    const friday = { is_working_day: true, time_start: '10:00', time_end: '14:00' };
    const newSchedule = { timezone: 'Asia/Tokyo', days: { ...DEFAULT_DAYS, '4': friday } };
    expect(await run(with_({}), 'create_schedule', { timezone: 'Asia/Tokyo', days: { '4': friday } })).toMatchObject({
      result: { status: 'created' },
    });
    expect(store).toHaveBeenCalledWith(newSchedule);
    expect(undo).toHaveBeenCalledWith(null, newSchedule);
    store.mockClear();
    for (const args of [
      { timezone: 'Mars/Base' },
      { days: { '4': { ...friday, time_end: '9' } } },
      { days: { '7': friday } },
      { days: 'all' },
    ])
      await expect(run(with_({}), 'create_schedule', args)).rejects.toThrow('The arguments do not fit');
    await expect(run(with_({ stored }), 'create_schedule')).rejects.toThrow('There is a schedule already.');
    expect(store).not.toHaveBeenCalled();
  });

  it('keeps a change on the page, and undoes it while nothing else changed', async () => {
    const view = createView<ScheduleDraft | null>(WEEK);
    const changed = await run(with_({ stored, draft: WEEK, view }), 'change_schedule', { timezone: 'UTC' });
    expect(view.current?.value).toEqual({ ...WEEK, timezone: 'UTC' });
    expect(await changed.undo.unchanged()).toBe(true);
    view.current?.set({ ...WEEK, timezone: 'Asia/Tokyo' });
    expect(await changed.undo.unchanged()).toBe(false);
    view.current?.set({ ...WEEK, timezone: 'UTC' });
    await changed.undo.run();
    expect(view.current?.value).toEqual(WEEK);
    view.current = null;
    expect(await changed.undo.unchanged()).toBe(false);
    await expect(run(with_({}), 'change_schedule', { timezone: 'UTC' })).rejects.toThrow('There is no schedule.');
  });

  it('saves only changes, and deletes only an existing schedule', async () => {
    const idle = with_({ stored, draft: WEEK, state: 'saved' });
    await expect(run(idle, 'save_schedule')).rejects.toThrow('Nothing has changed.');
    expect(actions.save).not.toHaveBeenCalled();
    const draft = { ...WEEK, timezone: 'UTC' };
    const changed = with_({ stored, draft, state: 'changed', changed: true });
    expect(await run(changed, 'save_schedule')).toMatchObject({ result: { status: 'saved' } });
    expect(undo).toHaveBeenLastCalledWith(WEEK, draft);
    await expect(run(with_({}), 'delete_schedule')).rejects.toThrow('There is no schedule.');
    expect(await run(changed, 'delete_schedule')).toMatchObject({ result: { status: 'deleted' } });
    expect(undo).toHaveBeenLastCalledWith(WEEK, null);
  });

  it('undoes a reset', async () => {
    const draft = { ...WEEK, timezone: 'UTC' };
    const view = createView<ScheduleDraft | null>(WEEK);
    const reset = await run(with_({ stored, draft, view, changed: true }), 'reset_schedule');
    expect(actions.reset).toHaveBeenCalledOnce();
    expect(await reset.undo.unchanged()).toBe(true);
    await reset.undo.run();
    expect(view.current?.value).toEqual(draft);
  });
});

describe('on the page of the pings', () => {
  const empty: PlainPings = { is_enabled: true, use_on_no_init_msg_reply: true, steps: [] };
  const draft = toDraft(empty);
  const choice = { rows: [{ id: 4, name: 'Nudge', text: 'Write.' }], failed: false, retry: vi.fn() };
  const texts = { prompt: choice, prepared_message: choice, documentTypes: [] };
  const with_ = (state: Partial<Pings>) =>
    pingContext(
      {
        stored: null,
        draft: null,
        state: 'creating',
        changed: false,
        faults: [],
        store,
        view: { current: null },
        undo,
        ...state,
      },
      texts,
      actions,
    );

  it('confirms every change', () => {
    expect(checkPageContext(with_({}))).toBeNull();
    expect(confirmedTools(with_({}))).toEqual([
      'create_ping_config',
      'add_ping_step',
      'replace_ping_config',
      'save_ping_config',
      'reset_ping_config',
    ]);
  });

  it('numbers steps by their places', async () => {
    const steps = [
      { after_minutes: 5, prompt_id: 4 },
      { after_minutes: 10, prepared_message_id: 7 },
    ];
    const read = [
      expect.objectContaining({ source: 'prompt', after_minutes: 5, prompt_id: 4 }),
      expect.objectContaining({ source: 'prepared_message', after_minutes: 10, prepared_message_id: 7 }),
    ];
    expect(await run(with_({}), 'create_ping_config', { steps })).toMatchObject({ result: { status: 'created' } });
    expect(store).toHaveBeenCalledWith({ is_enabled: true, use_on_no_init_msg_reply: true, steps: read });
    const view = createView<PlainPings | null>(empty);
    const context = with_({ draft, view });
    await expect(run(context, 'replace_ping_config', { steps: [{ after_minutes: 0, prompt_id: 4 }] })).rejects.toThrow(
      'After minutes must be greater than 0',
    );
    expect(view.current?.value).toEqual(empty);
    const replaced = await run(context, 'replace_ping_config', { steps });
    expect(view.current?.value?.steps).toEqual(read);
    await replaced.undo.run();
    expect(view.current?.value).toEqual(empty);
  });

  it('adds a step to the existing ones', async () => {
    const args = { after_minutes: 5, prompt_id: 4 };
    await expect(run(with_({}), 'add_ping_step', args)).rejects.toThrow('There is no configuration yet.');
    const view = createView<PlainPings | null>(empty);
    const context = with_({ draft, view });
    await expect(run(context, 'add_ping_step', { after_minutes: 5 })).rejects.toThrow(
      'Step 1: Please select an AI prompt',
    );
    expect(await run(context, 'add_ping_step', args)).toMatchObject({ result: { step_number: 1 } });
    expect(view.current?.value?.steps).toHaveLength(1);
  });
});
