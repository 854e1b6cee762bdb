/** The send form: its fields, the possible targets, and who owns the dialogue afterwards. Pure functions. */
import type { Channel, ProductChannel } from '../../channels/contract.ts';
import { documentPrompts, preparedMessages } from '../../prompts/contract.ts';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import type { Dialogue } from '../contract.ts';

/** Content types; a message has exactly one of them. Wire names. */
export const CONTENTS = ['text', 'prepared_message_id', 'document_prompt_id'] as const;
export type Content = (typeof CONTENTS)[number];

/** A channel on which the contact can be reached. */
export interface Target {
  channelId: number;
  name: string;
  /** The contact's dialogue there; null: sending creates one. */
  dialogue: Pick<Dialogue, 'id' | 'owner'> | null;
  /** The newest message of the dialogue; 0: it has none. */
  newestMessageId: number;
}

type ContactDialogue = Pick<
  Dialogue,
  'id' | 'channel_id' | 'channel_name' | 'owner' | 'last_user_msg_id' | 'last_bot_msg_id'
>;

/**
 * Return where a contact can be reached: in its dialogues, and on active channels of its messenger that are linked to
 * the product. The first one is the default.
 *
 * @param dialogues those of the contact, newest activity first.
 */
export function findTargets(
  dialogues: readonly ContactDialogue[],
  channels: readonly Pick<Channel, 'id' | 'name' | 'is_active'>[],
  links: readonly Pick<ProductChannel, 'channel_id'>[],
): Target[] {
  const existing = dialogues.map((dialogue) => ({
    channelId: dialogue.channel_id,
    name: dialogue.channel_name,
    dialogue: { id: dialogue.id, owner: dialogue.owner },
    newestMessageId: Math.max(dialogue.last_user_msg_id ?? 0, dialogue.last_bot_msg_id ?? 0),
  }));
  const newTargets = channels
    .filter(({ id, is_active }) => is_active && links.some((link) => link.channel_id === id))
    .filter(({ id }) => !dialogues.some((dialogue) => dialogue.channel_id === id))
    .toSorted((a, b) => a.id - b.id);
  return [
    ...existing,
    ...newTargets.map(({ id, name }) => ({ channelId: id, name, dialogue: null, newestMessageId: 0 })),
  ];
}

/** Return the target on a channel, whose id may be that of a form: a text. */
export const findTarget = (targets: readonly Target[], channelId: unknown): Target | null =>
  targets.find((target) => String(target.channelId) === String(channelId)) ?? null;

/** Return a sentence about who owns the dialogue after the message. */
export function ownerAfterSending(content: Content, dialogue: Target['dialogue']): string {
  if (dialogue === null) return t('Starts a new dialogue, owned by the bot.');
  if (dialogue.owner === 'human') return t('A human owns this dialogue and keeps it.');
  return content === 'text'
    ? t('Your message takes the dialogue over from the bot. A human replies from then on.')
    : t('The bot keeps the dialogue.');
}

/** Default values of the form, equal to the API's. */
export const SEND_DEFAULTS = { delay_enabled: true, schedule_enabled: true, split: true } as const;

export function sendFields(content: Content, productId: number, targets: readonly Target[]): Field[] {
  const productFilter = { product_id: [productId] };
  return [
    contentField(content, productFilter),
    {
      kind: 'select',
      name: 'channel_id',
      label: t('Channel'),
      required: true,
      options: targets.map(({ channelId, name, dialogue }) => ({
        value: String(channelId),
        label: dialogue === null ? t('{{channel}} (new dialogue)', { channel: name }) : name,
      })),
    },
    {
      kind: 'boolean',
      name: 'split',
      label: t('Split into parts at blank lines'),
      description: t('Each part is sent as its own message.'),
    },
    {
      kind: 'boolean',
      name: 'delay_enabled',
      label: t('Use the channel’s delay'),
      description: t('Each message waits as long as typing it would take.'),
    },
    {
      kind: 'boolean',
      name: 'schedule_enabled',
      label: t('Only in working hours'),
      description: t('Outside them, it waits until they start.'),
    },
  ];
}

function contentField(content: Content, productFilter: Readonly<Record<string, unknown>>): Field {
  switch (content) {
    case 'text':
      return { kind: 'textarea', name: 'text', label: t('Message'), required: true, rows: 5 };
    case 'prepared_message_id':
      return {
        kind: 'select',
        name: 'prepared_message_id',
        label: t('Prepared message'),
        source: optionSource({
          resource: preparedMessages,
          labelOf: ({ name, type }) => (type === 'ping' ? t('{{name}} (follow-up)', { name }) : name),
          query: productFilter,
          failureText: t('Failed to load prepared messages'),
        }),
        required: true,
      };
    case 'document_prompt_id':
      return {
        kind: 'select',
        name: 'document_prompt_id',
        label: t('Document prompt'),
        source: optionSource({ resource: documentPrompts, labelOf: (document) => document.name, query: productFilter }),
        required: true,
      };
    default:
      return content satisfies never;
  }
}
