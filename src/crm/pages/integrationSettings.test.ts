/** The settings page of an integration: warnings, the assistant's tools, and the descriptions of a connection. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkPageContext, Undoable } from '../../ui/pageContext.ts';
import type { IntegrationState } from '../amocrmContract.ts';
import { describeConnection, describeSync } from './connection.tsx';
import { integrationContext } from './integrationContext.ts';
import {
  type Directory,
  draftFromStored,
  findWarnings,
  type IntegrationDraft,
  readPipeline,
  requiredFaults,
  setPipeline,
  sharedSteps,
  toConfig,
  withKey,
} from './integrationDraft.ts';

const step = (id: number, name: string) => ({ id, name, color: null, is_incoming: false });
const directory: Directory = {
  pipelines: [
    { id: 1, name: 'Kitchens', is_main: true, steps: [step(11, 'New'), step(12, 'Talking'), step(142, 'Won')] },
    { id: 2, name: 'Wardrobes', is_main: false, steps: [step(21, 'New'), step(142, 'Won')] },
  ],
  lead_fields: [],
  contact_fields: [],
};
function pipelineOf(input: object) {
  const read = readPipeline(input);
  if ('reasons' in read) throw new Error(read.reasons.join());
  return withKey(read.pipeline);
}
const draftWith = (...pipelines: object[]): IntegrationDraft => ({
  ...draftFromStored(null),
  pipelines: pipelines.map(pipelineOf),
});
const warningsFor = (draft: IntegrationDraft, index = 0) => {
  const pipeline = draft.pipelines[index];
  return pipeline ? findWarnings(pipeline, { draft, directory }) : [];
};

describe('the integration settings', () => {
  it('start with the defaults and are sent back unchanged', () => {
    expect(toConfig(draftFromStored(null))).toEqual({
      import_enabled: true,
      tg_contact_custom_field_name: 'telegram',
      whatsapp_contact_custom_field_name: 'whatsapp',
      pipelines: [],
    });
    const config = toConfig(draftWith({ pipeline_id: 1, steps: { initial: 11 } }));
    expect(toConfig(draftFromStored(config))).toEqual(config);
    expect(config.pipelines).toMatchObject([{ is_active: true, pipeline_id: 1, steps: { initial: 11, success: 0 } }]);
  });

  it('require the names of both fields', () => {
    expect(requiredFaults(draftFromStored(null))).toEqual({});
    expect(requiredFaults({ ...draftFromStored(null), whatsapp_contact_custom_field_name: ' ' })).toEqual({
      'config.whatsapp_contact_custom_field_name': 'Custom field with the WhatsApp number is required',
    });
  });

  it('drop steps that a newly chosen pipeline lacks', () => {
    const previous = pipelineOf({ pipeline_id: 1, steps: { initial: 11, success: 142 } });
    expect(setPipeline(previous, 2, directory).steps).toMatchObject({ initial: 0, success: 142 });
    // Without the names of the account the steps cannot be checked.
    expect(setPipeline(previous, 2, undefined).steps).toMatchObject({ initial: 11, success: 142 });
  });

  it('warn of settings without effect only', () => {
    expect(warningsFor(draftWith({ pipeline_id: 1, steps: { initial: 11 } }))).toEqual([]);
    expect(warningsFor(draftWith({ pipeline_id: 1, is_active: false }))).toEqual([expect.stringContaining('Inactive')]);
    expect(warningsFor(draftWith({}))).toEqual([expect.stringContaining('No pipeline is chosen')]);
    expect(warningsFor(draftWith({ pipeline_id: 1, steps: { ongoing: 12 } }))).toEqual([
      expect.stringContaining('No step is mapped to Initial'),
    ]);
    expect(warningsFor(draftWith({ pipeline_id: 9, steps: { initial: 11 } }))).toEqual([
      expect.stringContaining('no longer in amoCRM'),
    ]);
    expect(warningsFor(draftWith({ pipeline_id: 1, steps: { initial: 11, failed: 99 } }))).toEqual([
      expect.stringContaining('no longer in amoCRM: failed'),
    ]);
    const twice = { pipeline_id: 1, steps: { initial: 11 } };
    expect(warningsFor(draftWith(twice, twice), 1)).toEqual([expect.stringContaining('the upper one applies')]);
  });

  it('report stages that share a step', () => {
    expect(sharedSteps(pipelineOf({ steps: { refused: 143, failed: 143, success: 142 } }))).toEqual([
      ['refused', 'failed'],
    ]);
  });
});

describe('the assistant', () => {
  const actions = { save: vi.fn(() => Promise.resolve(true)), reset: vi.fn() };
  const set = vi.fn();
  const undo = vi.fn((_before: unknown, _after: unknown) => ({ unchanged: () => true, run: () => undefined }));
  beforeEach(() => vi.clearAllMocks());
  const plain = toConfig(draftFromStored(null));
  const contextOf = (state: { changed?: boolean; missing?: Record<string, string> }) =>
    integrationContext(
      {
        stored: null,
        draft: draftFromStored(null),
        changed: false,
        missing: {},
        faults: state.missing ?? {},
        view: { current: { value: plain, set } },
        undo,
        ...state,
      },
      { name: 'Demo account', directory },
      actions,
    );
  const run = async (state: Parameters<typeof contextOf>[0], tool: string, args: Record<string, unknown> = {}) => {
    const input = await contextOf(state).handlers?.[tool]?.call(args);
    if (!(input instanceof Undoable)) throw new Error(`${tool} cannot be taken back`);
    return input;
  };

  it('confirms before anything changes', () => {
    const context = contextOf({});
    expect(checkPageContext(context)).toBeNull();
    expect(context.tools.map(({ name, confirm }) => [name, confirm === true])).toEqual([
      ['save_integration_config', true],
      ['reset_integration_config', true],
      ['set_import', true],
      ['add_pipeline', true],
    ]);
    expect(context.summary).toContain('Not Configured');
  });

  it('saves by the same rules as the button', async () => {
    expect((await run({}, 'save_integration_config')).result).toEqual({ status: 'saved' });
    expect(undo).toHaveBeenCalledWith(null, plain);
    actions.save.mockClear();
    await expect(run({ missing: { name: 'is required' } }, 'save_integration_config')).rejects.toThrow('is required');
    expect(actions.save).not.toHaveBeenCalled();
    await run({ changed: true }, 'reset_integration_config');
    expect(actions.reset).toHaveBeenCalledOnce();
  });

  it('adds only valid pipelines', async () => {
    const added = await run({}, 'add_pipeline', { pipeline_id: 1, steps: { initial: 11 } });
    expect(set).toHaveBeenLastCalledWith({
      ...plain,
      pipelines: [expect.objectContaining({ pipeline_id: 1, is_active: true })],
    });
    await added.undo.run();
    expect(set).toHaveBeenLastCalledWith(plain);
    set.mockClear();
    for (const args of [{ pipeline_id: -1 }, { steps: { unknown: 1 } }, { name: 'Kitchens' }])
      await expect(run({}, 'add_pipeline', args)).rejects.toThrow('The arguments do not fit');
    expect(set).not.toHaveBeenCalled();
  });
});

describe("a connection's status text", () => {
  const NOW = Date.parse('2026-11-21T12:00:00.000Z');
  const at = (days: number) => new Date(NOW + days * 86_400_000).toISOString();
  const fine: IntegrationState = {
    integration_id: 1,
    state: 'connected',
    reason: null,
    since: at(-1),
    account_id: 7,
    account_name: 'Demo account',
    host: 'demo.amocrm.ru',
    keys_until: at(80),
    hooks: 'subscribed',
    hooks_reason: null,
    last_sync_at: at(0),
    last_sync: {},
    last_error: null,
    last_error_at: null,
    cards: 0,
    to_read: 0,
    to_write: 0,
    refused: 0,
    refusal: null,
  };
  it.each([
    [{}, 'Connected', null],
    [{ keys_until: at(29) }, 'Keys expire soon', 'reconnect'],
    [{ last_error: 'Away', last_error_at: at(0) }, 'Sync failed', 'sync'],
    [{ state: 'reconnect', reason: 'Revoked' }, 'Needs reconnect', 'reconnect'],
    [{ state: 'disconnected', reason: 'Disconnected in amoCRM' }, 'Disconnected in amoCRM', 'reconnect'],
    [{ state: 'disconnected', reason: 'Disconnected by demo' }, 'Disconnected', 'reconnect'],
    [{ state: 'never', keys_until: null }, 'Never connected', 'connect'],
  ] as const)('%j is %s', (change, word, action) => {
    expect(describeConnection({ ...fine, ...change }, NOW)).toMatchObject({ label: word, action });
  });

  it('reports what a sync imported', () => {
    expect(describeSync({})).toBe('0 cards read');
    expect(describeSync({ read: 1, imported: 1, moved: 2, unmapped: 0 })).toBe(
      '1 card read, 1 lead imported, 2 leads moved',
    );
  });
});
