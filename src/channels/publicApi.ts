/** Channels as other rooms need them. */
import type { Reader, Tx } from '../platform/db.ts';
import type { ChannelType } from './contract.ts';
import { canProductUse } from './ownershipStore.ts';
import {
  type ChannelRow,
  findChannel,
  findLink,
  type LinkRow,
  pauseChannel,
  rejectAccountKey,
  requestAccountPoll,
  resumeChannelFirstMessages,
  selectInboundProduct,
  selectUsableChannel,
  setChannelState,
  stopChannelFirstMessages,
} from './store.ts';

export type { ChannelRow, LinkRow };

export const readChannel = (reader: Reader, id: number): Promise<ChannelRow | undefined> => findChannel(reader, id);
export const readLink = (reader: Reader, productId: number, channelId: number): Promise<LinkRow | undefined> =>
  findLink(reader, productId, channelId);
/** Whether a product's company owns the channel or shares it. */
export const mayUseChannel = (reader: Reader, productId: number, channelId: number): Promise<boolean> =>
  canProductUse(reader, productId, channelId);
export const findInboundProduct = (
  reader: Reader,
  channelId: number,
): Promise<{ id: number; name: string } | undefined> => selectInboundProduct(reader, channelId);
export const findUsableChannel = (reader: Reader, productId: number, type: ChannelType): Promise<number | undefined> =>
  selectUsableChannel(reader, productId, type);

/** The vendor told how a channel's session is. */
export const saveChannelState = (tx: Tx, channelId: number, state: string, qr: string | null): Promise<void> =>
  setChannelState(tx, channelId, state, qr);
/** Something happened to the account's sessions: they are asked for anew. */
export const requestSessionPoll = (tx: Tx, accountId: number): Promise<void> => requestAccountPoll(tx, accountId);
/** Sends of the channel rest for `seconds`. */
export const pauseChannelSends = (tx: Tx, channelId: number, seconds: number, reason: string): Promise<void> =>
  pauseChannel(tx, channelId, seconds, reason);
/** The vendor refused the account's key. */
export const recordRejectedKey = (tx: Tx, accountId: number, reason: string): Promise<void> =>
  rejectAccountKey(tx, accountId, reason);
/** The channel stops first messages by itself. False: it had stopped before. */
export const stopFirstMessagesOf = (tx: Tx, channelId: number, reason: string): Promise<boolean> =>
  stopChannelFirstMessages(tx, channelId, reason);
/** The channel was heard of: its first messages go again. */
export const resumeFirstMessagesOf = (tx: Tx, channelId: number): Promise<boolean> =>
  resumeChannelFirstMessages(tx, channelId, false);
