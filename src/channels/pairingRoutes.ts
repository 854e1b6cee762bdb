/** Pairing: list an account's channels, check their sessions, return a pairing link. */
import type { AppContext } from '../platform/appContext.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { isMasked } from '../platform/secretCipher.ts';
import { channelRefusals, checkSession, pairing, pairingLink } from './contract.ts';
import { driverOf, vendorCall } from './drivers.ts';
import { readSessions } from './sessions.ts';
import { type ChannelRow, findChannel, findSession } from './store.ts';
import { refuseVendorErrors } from './vendorErrors.ts';

export function pairingRoutes(context: AppContext): Route[] {
  async function findOrRefuse(id: number): Promise<ChannelRow> {
    const channel = await findChannel(context.reader, id);
    if (!channel) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
    return channel;
  }

  return [
    route(checkSession, async ({ params }) => {
      const channel = await findOrRefuse(params.id);
      await refuseVendorErrors(() => readSessions(context, channel.account_id));
      const session = await findSession(context.reader, channel.id);
      if (!session) throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
      return ok(200, session);
    }),
    route(pairingLink, async ({ params }) => {
      const { vendor } = await findOrRefuse(params.id);
      // Wazzup24's API has no pairing link; ChatPush mentions one, at an undocumented address.
      throw refuse(channelRefusals, 'channel.no_pairing_link', { vendor: driverOf(vendor).name });
    }),
    route(pairing, async ({ body }) => {
      const { vendor, channel_type, credentials } = body;
      if (isMasked(credentials.api_key)) throw refuse(channelRefusals, 'channel.key_again');
      const vendorChannels = await refuseVendorErrors(() =>
        driverOf(vendor).listChannels(vendorCall(context, vendor, credentials.api_key)),
      );
      return ok(
        200,
        vendorChannels
          .filter(({ type }) => type === channel_type)
          .map(({ ref, title, address, state }) => ({ ref, title, address, state })),
      );
    }),
  ];
}
