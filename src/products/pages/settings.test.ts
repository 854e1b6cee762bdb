import { describe, expect, it } from 'vitest';
import { DEFAULT_PRODUCT_CONFIG } from '../contract.ts';
import {
  defaultModels,
  initialTab,
  isChanged,
  isCustom,
  messagingOf,
  modelErrors,
  modelName,
  modelOf,
  outreachChange,
  type Settings,
  settingsOf,
  UNKNOWN_DEFAULTS,
  validationErrors,
  withExpiry,
  withMessaging,
  withModel,
} from './settings.ts';

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
const chosen = (model: string) => ({ vendor: 'chatgpt' as const, model, temperature: 0.4 });
const defaults = defaultModels({
  models: {},
  default_chatbot_model: chosen('a'),
  default_classification_model: chosen('b'),
  default_ping_model: chosen('c'),
  default_document_model: chosen('d'),
  default_judge_model: chosen('e'),
});

describe('models', () => {
  it("are the system's until one is edited, then all the product's, copied from the system's", () => {
    expect(modelOf(plain, defaults, 'ping')).toMatchObject({ model: chosen('c'), isDefault: true });
    expect(isCustom(plain)).toBe(false);
    const warm = withModel({ settings: plain, defaults, purpose: 'ping', change: { temperature: 1.2 } });
    expect(isCustom(warm)).toBe(true);
    expect(modelOf(warm, defaults, 'ping')).toMatchObject({
      model: { ...chosen('c'), temperature: 1.2 },
      isDefault: false,
    });
    expect(modelOf(warm, defaults, 'chatbot')).toMatchObject({ model: chosen('a'), isDefault: false });
  });

  it('clear the model with the vendor, and keep the temperature', () => {
    const other = withModel({ settings: plain, defaults, purpose: 'chatbot', change: { vendor: 'gemini' } });
    expect(modelOf(other, defaults, 'chatbot').model).toEqual({ vendor: 'gemini', model: null, temperature: 0.4 });
    const same = withModel({ settings: plain, defaults, purpose: 'chatbot', change: { vendor: 'chatgpt' } });
    expect(modelOf(same, defaults, 'chatbot').model.model).toBe('a');
  });
});

describe('a vendor without a model', () => {
  const incomplete = withModel({ settings: plain, defaults, purpose: 'chatbot', change: { vendor: 'gemini' } });

  it('leaves the answer to the default, and says so', () => {
    const { isDefault, substitute } = modelOf(incomplete, defaults, 'chatbot');
    expect([isDefault, substitute && modelName(substitute)]).toEqual([true, 'ChatGPT a']);
    const complete = withModel({ settings: incomplete, defaults, purpose: 'chatbot', change: { model: 'pro' } });
    expect(modelOf(complete, defaults, 'chatbot')).toMatchObject({ isDefault: false, substitute: null });
    expect(modelOf(plain, defaults, 'chatbot').substitute).toBeNull();
    // Through the API even the vendor may be missing.
    const empty = withModel({ settings: plain, defaults, purpose: 'judge', change: { vendor: null, model: null } });
    expect(modelOf(empty, defaults, 'judge').substitute).toEqual(chosen('e'));
  });

  it('cannot be saved where the default has no key, so that nothing would answer', () => {
    const errorsWith = (...vendors: ('chatgpt' | 'gemini')[]) => modelErrors(incomplete, defaults, new Set(vendors));
    expect(errorsWith('gemini')).toEqual(['Chatbot: choose a model. There is no active key for ChatGPT, the default.']);
    expect(errorsWith('chatgpt')).toEqual([]);
    expect(modelErrors(incomplete, defaults, null)).toEqual([]);
    expect(modelErrors(incomplete, UNKNOWN_DEFAULTS, new Set())).toEqual([]);
    expect(modelErrors(plain, defaults, new Set())).toEqual([]);
  });
});

it("are not copied from unknown defaults, and the product's own can be changed", () => {
  expect(defaultModels(undefined)).toBeNull();
  expect(modelOf(plain, null, 'ping').mayChange).toBe(false);
  expect(() => withModel({ settings: plain, defaults: null, purpose: 'ping', change: { temperature: 1 } })).toThrow(
    'The default models are still loading',
  );
  const own = withModel({ settings: plain, defaults, purpose: 'ping', change: { temperature: 1.2 } });
  const later = withModel({ settings: own, defaults: null, purpose: 'ping', change: { temperature: 0.1 } });
  expect(modelOf(later, null, 'ping').model).toEqual({ ...chosen('c'), temperature: 0.1 });
});

it("can be chosen where the defaults could not be loaded; the others stay the system's", () => {
  expect(modelOf(plain, UNKNOWN_DEFAULTS, 'ping')).toEqual({
    model: { vendor: null, model: null, temperature: 0.7 },
    isDefault: true,
    substitute: null,
    mayChange: true,
  });
  const own = withModel({
    settings: plain,
    defaults: UNKNOWN_DEFAULTS,
    purpose: 'ping',
    change: { vendor: 'anthropic' },
  });
  const { judge_model_config: _judge, ...others } = UNKNOWN_DEFAULTS;
  expect(own.config.models_config).toEqual({
    ...others,
    ping_model_config: { vendor: 'anthropic', model: null, temperature: 0.7 },
  });
});

it("the judge's model is beside the four of the specification", () => {
  expect(modelOf(plain, defaults, 'judge')).toMatchObject({ model: chosen('e'), isDefault: true });
  const own = withModel({ settings: plain, defaults, purpose: 'judge', change: { temperature: 0 } });
  expect(own.config).toEqual({ ...DEFAULT_PRODUCT_CONFIG, judge_model_config: { ...chosen('e'), temperature: 0 } });
  expect(isCustom(own)).toBe(true);
  const both = withModel({ settings: own, defaults, purpose: 'ping', change: { temperature: 1 } });
  expect(Object.keys(both.config.models_config ?? {})).toHaveLength(4);
  expect(modelOf(both, null, 'judge').model.temperature).toBe(0);
});

describe('messaging', () => {
  it("uses the system's settings until edited", () => {
    expect(messagingOf(plain)).toMatchObject({
      isDefault: true,
      messaging: { tg_daily_limit: 0, add_interval_seconds: 180, initial_message_send_at: '10:30' },
    });
    const own = withMessaging(plain, { whatsapp_daily_limit: 20 });
    expect(messagingOf(own)).toMatchObject({ isDefault: false, messaging: { whatsapp_daily_limit: 20 } });
  });

  it('requires a text or a prepared message once it has its own settings', () => {
    const words = 'Either a prepared message or initial message text is required';
    expect(validationErrors(plain)).toEqual([]);
    const own = withMessaging(plain, { initial_message_text: '  ' });
    expect(validationErrors(own)).toEqual([words]);
    expect(validationErrors(withMessaging(own, { initial_message_text: 'Hello' }))).toEqual([]);
    expect(validationErrors(withMessaging(own, { initial_message_prepared_message_id: 3 }))).toEqual([]);
    expect(validationErrors(withMessaging(own, { initial_message_send_at: '25:00' }))).toContain(
      'Send at: Please use 24-hour HH:MM format.',
    );
    expect(validationErrors(withMessaging(own, { initial_message_text: 'x'.repeat(10_001) }))).toEqual([
      'Initial message text: Enter at most 10,000 characters',
    ]);
  });
});

it('is unchanged once reverted', () => {
  const later = withExpiry(plain, 48);
  expect(isChanged(plain, later)).toBe(true);
  expect(isChanged(plain, withExpiry(later, 0))).toBe(false);
  expect(validationErrors({ ...plain, name: ' ' })).toEqual(['Name is required']);
});

it('separates outreach settings from the rest', () => {
  expect(outreachChange(plain, plain)).toBeNull();
  expect(outreachChange(plain, { ...plain, name: 'Doors', is_active: false })).toBeNull();
  expect(
    outreachChange(plain, withModel({ settings: plain, defaults, purpose: 'chatbot', change: chosen('small') })),
  ).toBeNull();
  expect(outreachChange(plain, { ...plain, timezone: 'Europe/Moscow' })).toEqual({ timezone: 'Europe/Moscow' });
  expect(outreachChange(plain, withExpiry(plain, 48))).toEqual({ lead_expires_in_hours: 48 });
  const own = withMessaging(plain, { tg_daily_limit: 5 });
  expect(outreachChange(plain, own)).toEqual({ messaging_config: own.config.messaging_config });
  expect(outreachChange(withExpiry(own, 48), plain)).toEqual({ lead_expires_in_hours: 0, messaging_config: null });
});

it('opens the tab of the address, else the first', () => {
  expect([initialTab('general'), initialTab('nonsense'), initialTab(undefined)]).toEqual([
    'general',
    'models',
    'models',
  ]);
});
