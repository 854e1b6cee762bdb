/** What the server sends to the service worker of a browser, and what an open tab shows itself. Browser-safe. */
import type { AttentionAlert } from '../live/contract.ts';
import { ATTENTION_LINES } from './attentionContract.ts';

/** Notifications with the same tag replace each other. */
export type PushMessage =
  | { readonly type: 'show'; readonly tag: string; readonly title: string; readonly body: string; readonly url: string }
  | { readonly type: 'withdraw'; readonly tag: string };

export const tagOf = (alertId: number): string => `alert-${alertId}`;

const MAX_TEXT = 140;

type AlertFacts = Pick<AttentionAlert, 'id' | 'dialogue_id' | 'lead_name' | 'attention' | 'last_message' | 'notice'>;

/** Return the notification of an alert. The lead's words are in it only if the operator wants that. */
export function notificationOf(
  { id, dialogue_id: dialogueId, lead_name: name, attention, last_message: text, notice }: AlertFacts,
  { message_text: withText }: { readonly message_text: boolean },
): Extract<PushMessage, { type: 'show' }> {
  if (notice !== null) return { type: 'show', tag: tagOf(id), title: notice.title, body: notice.text, url: notice.url };
  const line = attention === null ? '' : ATTENTION_LINES[attention];
  return {
    type: 'show',
    tag: tagOf(id),
    title: name ?? '',
    body: withText && text !== null ? `${line}\n${text.slice(0, MAX_TEXT)}` : line,
    url: `/?page=inbox&dialogueId=${dialogueId}`,
  };
}
