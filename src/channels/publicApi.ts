/** The public API of channels for other modules. */
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
/** Check whether a product's company owns the channel or shares it. */
export const mayUseChannel = (reader: Reader, productId: number, channelId: number): Promise<boolean> =>
  canProductUse(reader, productId, channelId);
export const findInboundProduct = (
  reader: Reader,
  channelId: number,
): Promise<{ id: number; name: string } | undefined> => selectInboundProduct(reader, channelId);
export const findUsableChannel = (reader: Reader, productId: number, type: ChannelType): Promise<number | undefined> =>
  selectUsableChannel(reader, productId, type);

/** Save the session state that the vendor reported. */
export const saveChannelState = (tx: Tx, channelId: number, state: string, qr: string | null): Promise<void> =>
  setChannelState(tx, channelId, state, qr);
/** Poll the account's sessions again, after something happened to them. */
export const requestSessionPoll = (tx: Tx, accountId: number): Promise<void> => requestAccountPoll(tx, accountId);
/** Pause sends of the channel for `seconds`. */
export const pauseChannelSends = (tx: Tx, channelId: number, seconds: number, reason: string): Promise<void> =>
  pauseChannel(tx, channelId, seconds, reason);
/** Record that the vendor rejected the account's key. */
export const recordRejectedKey = (tx: Tx, accountId: number, reason: string): Promise<void> =>
  rejectAccountKey(tx, accountId, reason);
/** Stop the channel's first messages automatically. Returns false if they were stopped before. */
export const stopFirstMessagesOf = (tx: Tx, channelId: number, reason: string): Promise<boolean> =>
  stopChannelFirstMessages(tx, channelId, reason);
/** Resume the channel's first messages, because the channel was heard from again. */
export const resumeFirstMessagesOf = (tx: Tx, channelId: number): Promise<boolean> =>
  resumeChannelFirstMessages(tx, channelId, false);
