import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { callEmulators } from './callEmulators.ts';
import type { ChatpushInput } from './emulators/chatpush/contract.ts';
import type { ControlClient } from './emulators/control.ts';
import { type EmulatedSession, listSessions, setSession } from './sessionContract.ts';

/** States of Wazzup24's channel list. */
const WAZZUP_STATES = ['active', 'qr', 'phoneUnavailable', 'openElsewhere', 'notEnoughMoney', 'blocked'];
/** ChatPush has numbers, which mean something else in each messenger. */
const WHATSAPP = { 'signed in': 1, 'signed out': 0 } as const;
const TELEGRAM = {
  'signed in': 3,
  'phone wanted': 0,
  'code wanted': 1,
  'password wanted': 2,
  'QR shown': 4,
  blocked: 5,
} as const;

/** A session with the function that sets its state. */
interface Switch extends EmulatedSession {
  readonly put: (state: string) => Promise<unknown>;
}

export function sessionRoutes(control: ControlClient): Route[] {
  const sessions = async () => (await switches(control)).map(({ put: _put, ...session }) => session);
  return [
    route(listSessions, async () => ok(200, { items: await callEmulators(sessions()) })),
    route(setSession, async ({ body }) => {
      const found = (await callEmulators(switches(control))).find(
        (one) => one.ref === body.ref && one.states.includes(body.state),
      );
      if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'session' });
      await callEmulators(found.put(body.state));
      return ok(200, { items: await callEmulators(sessions()) });
    }),
  ];
}

async function switches(control: ControlClient): Promise<Switch[]> {
  const [wazzup, chatpush] = await Promise.all([control.accounts(), control.chatpushAccounts()]);
  return [
    ...wazzup.flatMap(({ channels }) =>
      channels.map((channel): Switch => {
        const { channelId: ref, name: title, state } = channel;
        const states = WAZZUP_STATES.includes(state) ? WAZZUP_STATES : [state, ...WAZZUP_STATES];
        const type = channel.transport === 'tgapi' || channel.transport === 'telegram' ? 'telegram' : 'whatsapp';
        return {
          ref,
          title,
          state,
          states,
          type,
          vendor: 'wazzup24',
          put: (newState) => control.changeChannel(ref, { state: newState }),
        };
      }),
    ),
    ...chatpush.flatMap((account) => {
      const { token, webhooks: _webhooks, ...stored } = account;
      const put = (change: Partial<ChatpushInput>) => control.putChatpush(token, { ...stored, ...change });
      const session = (
        routing: string,
        type: EmulatedSession['type'],
        number: number | null,
        words: Readonly<Record<string, number>>,
        change: (number: number) => Partial<ChatpushInput>,
      ): Switch[] => {
        if (number === null) return [];
        const state = Object.entries(words).find(([, one]) => one === number)?.[0] ?? String(number);
        return [
          {
            type,
            state,
            states: Object.keys(words),
            ref: `${account.customerId}:${routing}`,
            vendor: 'chatpush',
            title: `${type === 'telegram' ? 'Telegram' : 'WhatsApp'}, account ${account.customerId}`,
            put: (newState) => put(change(words[newState] ?? number)),
          },
        ];
      };
      return [
        ...session('whatsapp', 'whatsapp', account.whatsapp, WHATSAPP, (whatsapp) => ({ whatsapp })),
        ...session('tdlib', 'telegram', account.tdlib, TELEGRAM, (tdlib) => ({ tdlib })),
      ];
    }),
  ];
}
