/** Pairing: which channels an account has, how their sessions stand, and where one is paired. */
import type { Ground } from '../platform/ground.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { isMasked } from '../platform/seal.ts';
import { askingVendor } from './askVendor.ts';
import { channelRefusals, checkSession, pairing, pairingLink } from './contract.ts';
import { callOf, driverOf } from './drivers.ts';
import { readSessions } from './sessions.ts';
import { type ChannelRow, findChannel, findSession } from './store.ts';

export function pairingRoutes(ground: Ground): Route[] {
  async function mustFind(id: number): Promise<ChannelRow> {
    const channel = await findChannel(ground.reader, id);
    if (!channel) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
    return channel;
  }

  return [
    route(checkSession, async ({ params }) => {
      const channel = await mustFind(params.id);
      await askingVendor(() => readSessions(ground, channel.account_id));
      const session = await findSession(ground.reader, channel.id);
      if (!session) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
      return ok(200, session);
    }),
    route(pairingLink, async ({ params }) => {
      const { vendor } = await mustFind(params.id);
      // Wazzup24's API has none; ChatPush names one, at an address that is nowhere documented.
      throw refuse(channelRefusals, 'channel.no_pairing_link', { vendor: driverOf(vendor).name });
    }),
    route(pairing, async ({ body }) => {
      const { vendor, channel_type, credentials } = body;
      if (isMasked(credentials.api_key)) throw refuse(channelRefusals, 'channel.key_again');
      const listed = await askingVendor(() =>
        driverOf(vendor).listChannels(callOf(ground, vendor, credentials.api_key)),
      );
      return ok(
        200,
        listed
          .filter(({ type }) => type === channel_type)
          .map(({ ref, title, address, state }) => ({ ref, title, address, state })),
      );
    }),
  ];
}
