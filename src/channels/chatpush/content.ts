/** What a message in one of ChatPush's hooks says, and whether it reports a change of another one. */
import { z } from 'zod';
import type { HookItem } from '../driver.ts';
import { flag, words } from '../hookFields.ts';
import type { MessageKind } from '../messageKindContract.ts';
import { isDeletionType, isEditType, kindOfType, unknownText } from '../messengerTypes.ts';
import { idOf, optionalId, optionalText, seconds } from './shapes.ts';

const named = z.union([
  z.string(),
  z
    .object({ name: optionalText, text: optionalText, title: optionalText })
    .transform(({ name, text, title }) => name ?? text ?? title ?? ''),
]);
const names = z.array(named).nullish().catch(null);

export const content = z.object({
  id: idOf,
  type: optionalText,
  text: words,
  timestamp: seconds,
  file_data: z.object({ caption: words, download_url: optionalText }).nullish().catch(null),
  reply_to_message_id: optionalId,
  emoji: optionalText,
  title: optionalText,
  button_text: optionalText,
  reaction: z
    .union([
      z.string().transform((emoji) => ({ emoji, text: null, message_id: null })),
      z.object({ emoji: optionalText, text: optionalText, message_id: optionalId }),
    ])
    .nullish()
    .catch(null),
  poll: z.object({ question: optionalText, name: optionalText, options: names }).nullish().catch(null),
  selected_options: names,
  is_edited: flag,
  edited: flag,
  edit_date: seconds,
  is_deleted: flag,
  deleted: flag,
  old_text: words,
  original_message_id: optionalId,
});

export type Content = z.output<typeof content>;
export type Change = 'edit' | 'deletion';

/** Return what a message reports of another one, by its flags or its type; null if it is a message itself. */
export function changeOf({ type, is_edited, edited, edit_date, is_deleted, deleted }: Content): Change | null {
  if (is_deleted === true || deleted === true || isDeletionType(type ?? '')) return 'deletion';
  return is_edited === true || edited === true || edit_date != null || isEditType(type ?? '') ? 'edit' : null;
}

export const wordsOf = ({ text, file_data }: Content): string => text || file_data?.caption || '';

/** Return what a message says, and its kind. The vendor lists no types: they are as the messengers name them. */
export function contentOf(message: Content): Pick<HookItem, 'text' | 'mediaKind'> {
  const { type, reaction, poll, selected_options: selected, title, button_text: button, file_data } = message;
  const text = wordsOf(message);
  const mediaKind = kindOfType(type ?? '');
  if (mediaKind === 'reaction' || mediaKind === 'removed reaction' || reaction != null) {
    const emoji = (reaction?.emoji ?? reaction?.text ?? message.emoji ?? text).trim();
    const kind: MessageKind = emoji === '' || mediaKind === 'removed reaction' ? 'removed reaction' : 'reaction';
    return { text: kind === 'reaction' ? emoji : '', mediaKind: kind };
  }
  if (mediaKind === 'poll') {
    const question = poll?.question ?? poll?.name ?? text;
    return { text: [question, ...(poll?.options ?? []).map((option) => `- ${option}`)].join('\n').trim(), mediaKind };
  }
  if (mediaKind === 'poll vote') return { text: selected?.join(', ') || text, mediaKind };
  if (mediaKind === 'button reply' || mediaKind === 'list reply')
    return { text: text || title || button || selected?.join(', ') || '', mediaKind };
  if (mediaKind === 'sticker' || mediaKind === 'dice') return { text: text || message.emoji || '', mediaKind };
  if (mediaKind !== null && mediaKind !== 'unknown') return { text, mediaKind };
  // A file or words can be read, whatever they are called.
  if (file_data) return { text, mediaKind: 'document' };
  if (text) return { text, mediaKind: 'text' };
  return { text: type && mediaKind === null ? unknownText(type) : '', mediaKind: 'unknown' };
}
