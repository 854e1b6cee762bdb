/** Delays and displays messages. Pure functions. */
import type { HookItem } from '../channels/driver.ts';
import { placeholderOf } from '../channels/messageKindContract.ts';

/** Return what the thread shows: the text, or the kind if there is no text. Empty if there is nothing to show. */
export function displayText(item: Pick<HookItem, 'text' | 'mediaKind'>): string {
  if (item.text.trim() !== '') return item.text;
  return item.mediaKind === 'text' ? '' : placeholderOf(item.mediaKind);
}

export interface ChannelDelay {
  readonly delay_messages_symbols_per_second: number | null;
  readonly delay_messages_seconds: number | null;
}

/** Return the seconds a part waits before it leaves: the link's fixed delay plus the time to type the text. */
export function delaySeconds(text: string, link: ChannelDelay | undefined): number {
  if (!link) return 0;
  const typing = link.delay_messages_symbols_per_second ? text.length / link.delay_messages_symbols_per_second : 0;
  return (link.delay_messages_seconds ?? 0) + typing;
}
