/** Keys that the emulated vendors accept: the demo's own, and unused ones for trying out connections. */
import type { SandboxKey } from './contract.ts';
import type { ControlClient } from './emulators/control.ts';

/** The demo company's accounts. */
export const DEMO_KEYS = { wazzup24: 'sandbox-wazzup24-key-0001', chatpush: 'sandbox-chatpush-token-0001' } as const;

/** Keys that the emulated model vendors accept; any company may use them. */
export const MODEL_KEYS = {
  chatgpt: 'sk-sandbox-0001',
  anthropic: 'sk-ant-sandbox-0001',
  gemini: 'AIzaSandbox-0001',
} as const;

/** Accounts with numbers that no channel uses yet. */
const FREE_KEYS = { wazzup24: 'sandbox-wazzup24-key-0002', chatpush: 'sandbox-chatpush-token-0002' } as const;
const FREE_CUSTOMER = 10_002;
const FREE_CHANNELS = (
  [
    ['5f0c1a52-0d3e-4b7e-9a61-2f6f3c1d7b01', 'whatsapp', '79990002001', 'WhatsApp, free number'],
    ['5f0c1a52-0d3e-4b7e-9a61-2f6f3c1d7b02', 'tgapi', '79990002002', 'Telegram, free number'],
  ] as const
).map(([channelId, transport, plainId, name]) => ({ channelId, transport, plainId, name }));

/** Keys that the sandbox's page shows. */
export const SANDBOX_KEYS: readonly SandboxKey[] = [
  { vendor: 'Wazzup24', key: FREE_KEYS.wazzup24, gives: 'A WhatsApp and a Telegram number that no channel uses yet' },
  { vendor: 'ChatPush', key: FREE_KEYS.chatpush, gives: 'A WhatsApp and a Telegram number that no channel uses yet' },
  { vendor: 'ChatGPT', key: MODEL_KEYS.chatgpt, gives: 'A model that answers from its prompt' },
  { vendor: 'Gemini', key: MODEL_KEYS.gemini, gives: 'The same model under this vendor’s names' },
  { vendor: 'Anthropic', key: MODEL_KEYS.anthropic, gives: 'The same model under this vendor’s names' },
  { vendor: 'amoCRM', key: null, gives: 'No key: it asks for your consent in a window' },
];

/** Register the free accounts with the emulators unless they exist. Keeps the sessions as they were set. */
export async function registerFreeAccounts(control: ControlClient): Promise<void> {
  if (!(await control.accounts()).some(({ key }) => key === FREE_KEYS.wazzup24))
    await control.putAccount(FREE_KEYS.wazzup24, { channels: FREE_CHANNELS });
  if (!(await control.chatpushAccounts()).some(({ token }) => token === FREE_KEYS.chatpush))
    await control.putChatpush(FREE_KEYS.chatpush, { customerId: FREE_CUSTOMER });
}
