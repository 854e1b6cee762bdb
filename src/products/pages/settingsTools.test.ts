import { expect, it, vi } from 'vitest';
import { checkPageContext, Undoable } from '../../ui/pageContext.ts';
import { DEFAULT_PRODUCT_CONFIG } from '../contract.ts';
import { DEFAULT_MESSAGING, defaultModels, type Settings, settingsOf, validationErrors } from './settings.ts';
import { settingsTools } from './settingsTools.ts';

const plain: Settings = settingsOf({
  name: 'Kitchens',
  is_active: true,
  timezone: 'UTC',
  config: DEFAULT_PRODUCT_CONFIG,
  reply_hours: 'working',
  target_minutes: 15,
  return_to_bot_hours: null,
  hand_over: true,
  hand_over_text: '',
  round_robin: false,
  bot_reads_notes: false,
});
const custom: Settings = { ...plain, config: { ...DEFAULT_PRODUCT_CONFIG, messaging_config: DEFAULT_MESSAGING } };
const model = (name: string) => ({ vendor: 'chatgpt' as const, model: name, temperature: 0.4 });
const defaults = defaultModels({
  models: {},
  default_chatbot_model: model('a'),
  default_classification_model: model('b'),
  default_ping_model: model('c'),
  default_document_model: model('d'),
  default_judge_model: model('e'),
});

function createTools(blockReason: string | null = null) {
  const change = vi.fn<(settings: Settings) => void>();
  const undo = vi.fn((_before: Settings, _after: Settings) => ({ unchanged: () => true, run: () => undefined }));
  const save = vi.fn<() => Promise<boolean>>(async () => true);
  const reset = vi.fn<() => void>();
  const context = settingsTools({
    settings: plain,
    saved: custom,
    defaults,
    errorsOf: validationErrors,
    blockReason,
    view: { current: { value: plain, set: change } },
    undo,
    save,
    reset,
    deleteConfig: async () => undefined,
  });
  const use = async (name: string, args: Readonly<Record<string, unknown>> = {}) => {
    const handler = context.handlers[name];
    if (!handler) throw new Error(`There is no ${name}`);
    const result = await handler.call(args);
    if (!(result instanceof Undoable)) throw new Error(`${name} cannot be taken back`);
    return result;
  };
  return { context, change, save, reset, undo, use };
}

it('has a confirmed handler for every tool', () => {
  const { context } = createTools();
  expect(checkPageContext({ description: 'Settings', summary: '', ...context })).toBeNull();
  expect(context.tools.filter((tool) => tool.confirm !== true).map((tool) => tool.name)).toEqual([]);
});

it('sets a model as by hand: copied from the defaults, cleared with another vendor', async () => {
  const { change, use } = createTools();
  await use('set_model', { purpose: 'ping', vendor: 'gemini' });
  expect(change.mock.lastCall?.[0].config.models_config).toMatchObject({
    chatbot_model_config: model('a'),
    ping_model_config: { vendor: 'gemini', model: null, temperature: 0.4 },
  });
  await use('set_model', { purpose: 'ping', vendor: 'gemini', model: 'gemini-2.5-pro', temperature: 1 });
  expect(change.mock.lastCall?.[0].config.models_config?.ping_model_config).toEqual({
    vendor: 'gemini',
    model: 'gemini-2.5-pro',
    temperature: 1,
  });
});

it('sets limits without saving, and reports what prevents saving', async () => {
  const { change, save, use } = createTools();
  const limited = await use('set_limits', { whatsapp_daily_limit: 20 });
  expect(limited.result).toEqual({
    status: 'changed on the page, not saved',
    faults: ['Either a prepared message or initial message text is required'],
  });
  await limited.undo.run();
  expect(change).toHaveBeenLastCalledWith(plain);
  await use('set_limits', { whatsapp_daily_limit: 20 });
  expect(change.mock.lastCall?.[0].config.messaging_config).toMatchObject({
    whatsapp_daily_limit: 20,
    tg_daily_limit: 0,
    add_interval_seconds: 180,
  });
  await use('set_limits', { lead_expires_in_hours: 48 });
  expect(change.mock.lastCall?.[0].config).toMatchObject({ lead_expires_in_hours: 48, messaging_config: null });
  expect(save).not.toHaveBeenCalled();
});

it.each([
  ['set_model', { purpose: 'poetry' }],
  ['set_model', { purpose: 'chatbot', temperature: 3 }],
  ['set_limits', { tg_daily_limit: -1 }],
  ['set_limits', { initial_message_send_at: '25:00' }],
  ['set_limits', { __proto__: null, constructor: 1 }],
])('refuses %s with %j and changes nothing', async (name, args) => {
  const { change, use } = createTools();
  await expect(use(name, args)).rejects.toThrow();
  expect(change).not.toHaveBeenCalled();
});

it('reports why saving failed', async () => {
  const blocked = createTools('Nothing has changed.');
  await expect(blocked.use('save_product_settings')).rejects.toThrow('Nothing has changed.');
  expect(blocked.save).not.toHaveBeenCalled();
  const failing = createTools();
  failing.save.mockResolvedValue(false);
  await expect(failing.use('save_product_settings')).rejects.toThrow('Failed to save settings');
  const { undo, use } = createTools();
  expect((await use('save_product_settings')).result).toEqual({ status: 'saved' });
  expect(undo).toHaveBeenCalledWith(custom, plain);
});

it('undoes a deletion and a reset', async () => {
  const { change, reset, undo, use } = createTools();
  await use('delete_product_settings');
  expect(undo).toHaveBeenCalledWith(custom, plain);
  const back = await use('reset_product_settings');
  expect(reset).toHaveBeenCalledOnce();
  await back.undo.run();
  expect(change).toHaveBeenLastCalledWith(plain);
});
