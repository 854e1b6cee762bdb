/** Channels as other rooms need them. */
import type { Reader, Tx } from '../platform/db.ts';
import type { ChannelType } from './contract.ts';
import { productMayUse } from './ownerStore.ts';
import {
  type ChannelRow,
  findChannel,
  findLink,
  inboundProduct,
  type LinkRow,
  markAccountDead,
  markUnread,
  pauseChannel,
  resumeFirsts,
  setChannelState,
  stopFirsts,
  usableChannel,
} from './store.ts';

export type { ChannelRow, LinkRow };

export const readChannel = (reader: Reader, id: number): Promise<ChannelRow | undefined> => findChannel(reader, id);
export const readLink = (reader: Reader, productId: number, channelId: number): Promise<LinkRow | undefined> =>
  findLink(reader, productId, channelId);
/** Whether a product's company owns the channel or shares it. */
export const mayUseChannel = (reader: Reader, productId: number, channelId: number): Promise<boolean> =>
  productMayUse(reader, productId, channelId);
export const productOfInbound = (
  reader: Reader,
  channelId: number,
): Promise<{ id: number; name: string } | undefined> => inboundProduct(reader, channelId);
export const channelFor = (reader: Reader, productId: number, type: ChannelType): Promise<number | undefined> =>
  usableChannel(reader, productId, type);

/** The vendor told how a channel's session is. */
export const noteChannelState = (tx: Tx, channelId: number, state: string, qr: string | null): Promise<void> =>
  setChannelState(tx, channelId, state, qr);
/** Something happened to the account's sessions: they are asked for anew. */
export const askSessionsAgain = (tx: Tx, accountId: number): Promise<void> => markUnread(tx, accountId);
/** Sends of the channel rest for `seconds`. */
export const restChannel = (tx: Tx, channelId: number, seconds: number, reason: string): Promise<void> =>
  pauseChannel(tx, channelId, seconds, reason);
/** The vendor refused the account's key. */
export const noteDeadKey = (tx: Tx, accountId: number, reason: string): Promise<void> =>
  markAccountDead(tx, accountId, reason);
/** The channel stops first messages by itself. False: it had stopped before. */
export const stopFirstsOf = (tx: Tx, channelId: number, reason: string): Promise<boolean> =>
  stopFirsts(tx, channelId, reason);
/** The channel was heard of: its first messages go again. */
export const resumeFirstsOf = (tx: Tx, channelId: number): Promise<boolean> => resumeFirsts(tx, channelId, false);
