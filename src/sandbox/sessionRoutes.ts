import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { callEmulators } from './callEmulators.ts';
import type { ControlClient } from './emulators/control.ts';
import { type EmulatedSession, listSessions, setSession } from './sessionContract.ts';

/** States of Wazzup24's channel list. */
const WAZZUP_STATES = ['active', 'qr', 'phoneUnavailable', 'openElsewhere', 'notEnoughMoney', 'blocked'];
/** ChatPush has numbers, which mean something else in each messenger. */
const CHATPUSH_SESSIONS = [
  { routing: 'whatsapp', type: 'whatsapp', title: 'WhatsApp', states: { 'signed in': 1, 'signed out': 0 } },
  {
    routing: 'tdlib',
    type: 'telegram',
    title: 'Telegram',
    states: { 'signed in': 3, 'phone wanted': 0, 'code wanted': 1, 'password wanted': 2, 'QR shown': 4, blocked: 5 },
  },
] as const;

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
    ...wazzup
      .flatMap(({ channels }) => channels)
      .map(({ channelId: ref, name: title, state, transport }): Switch => {
        const states = WAZZUP_STATES.includes(state) ? WAZZUP_STATES : [state, ...WAZZUP_STATES];
        const type = transport === 'tgapi' || transport === 'telegram' ? 'telegram' : 'whatsapp';
        const put = (newState: string) => control.changeChannel(ref, { state: newState });
        return { ref, title, state, states, type, vendor: 'wazzup24', put };
      }),
    ...chatpush.flatMap(({ token, webhooks: _webhooks, ...account }) =>
      CHATPUSH_SESSIONS.flatMap(({ routing, type, title, states }): Switch[] => {
        const number = account[routing];
        if (number === null) return [];
        const numbers = new Map(Object.entries<number>(states));
        const names = [...numbers.keys()];
        const session = {
          type,
          state: names.find((name) => numbers.get(name) === number) ?? String(number),
          states: names,
          ref: `${account.customerId}:${routing}`,
          vendor: 'chatpush' as const,
          title: `${title}, account ${account.customerId}`,
        };
        return [
          { ...session, put: (name) => control.putChatpush(token, { ...account, [routing]: numbers.get(name) }) },
        ];
      }),
    ),
  ];
}
