/** What a message is beside its words: its kind as an icon and a label, and its link. */
import { Anchor, Text } from '@mantine/core';
import {
  type Icon,
  IconAddressBook,
  IconCalendarEvent,
  IconChartBar,
  IconChecklist,
  IconClick,
  IconCreditCard,
  IconDeviceGamepad2,
  IconDice5,
  IconEyeOff,
  IconFile,
  IconForms,
  IconGif,
  IconGift,
  IconHelpCircle,
  IconLivePhoto,
  IconMapPin,
  IconMessageOff,
  IconMicrophone,
  IconMoodOff,
  IconMoodSmile,
  IconPaperclip,
  IconPhoneX,
  IconPhoto,
  IconShoppingBag,
  IconShoppingCart,
  IconSticker,
  IconUsersPlus,
  IconVideo,
} from '@tabler/icons-react';
import { kindLabel, type MessageKind, placeholderOf } from '../../../channels/messageKindContract.ts';
import { t } from '../../../ui/i18n.ts';
import type { Message } from '../../contract.ts';
import classes from './chat.module.css';

const icons = {
  image: IconPhoto,
  'voice message': IconMicrophone,
  video: IconVideo,
  'video note': IconVideo,
  GIF: IconGif,
  document: IconFile,
  'contact card': IconAddressBook,
  location: IconMapPin,
  'live location': IconMapPin,
  poll: IconChartBar,
  'poll vote': IconChartBar,
  'button reply': IconClick,
  'list reply': IconClick,
  'form reply': IconForms,
  'product inquiry': IconShoppingBag,
  'story reply': IconLivePhoto,
  checklist: IconChecklist,
  sticker: IconSticker,
  reaction: IconMoodSmile,
  'removed reaction': IconMoodOff,
  dice: IconDice5,
  game: IconDeviceGamepad2,
  missing_call: IconPhoneX,
  order: IconShoppingCart,
  payment: IconCreditCard,
  gift: IconGift,
  invite: IconUsersPlus,
  event: IconCalendarEvent,
  'view-once media': IconEyeOff,
  empty: IconMessageOff,
  unsupported: IconHelpCircle,
  unknown: IconHelpCircle,
} as const satisfies Readonly<Partial<Record<MessageKind, Icon>>>;

/** Kinds that are not files: a link that the vendor did not send is not missed. */
const MEDIA: ReadonlySet<string> = new Set(['image', 'voice message', 'video', 'video note', 'GIF', 'document']);

const ICONS: Readonly<Record<string, Icon>> = icons;
const hasIcon = (kind: string): boolean => Object.hasOwn(ICONS, kind);

type AttachmentFields = Pick<Message, 'kind' | 'media_url' | 'message'>;

/** Return the link if it is safe to follow. The lead's vendor supplies it, so only http and https are accepted. */
function linkOf(message: AttachmentFields): string | null {
  return message.media_url !== null && /^https?:\/\//i.test(message.media_url) ? message.media_url : null;
}

/** Whether a message has media that can be shown. */
export function hasAttachment(message: AttachmentFields): boolean {
  return hasIcon(message.kind) || linkOf(message) !== null;
}

/** Whether the text is only a placeholder for the kind: `[image]`. */
export function isPlaceholder(message: AttachmentFields): boolean {
  return message.message === placeholderOf(message.kind) && hasAttachment(message);
}

export function Attachment({ message }: { message: AttachmentFields }) {
  const Glyph = (hasIcon(message.kind) ? ICONS[message.kind] : undefined) ?? IconPaperclip;
  const label = t((hasIcon(message.kind) ? kindLabel(message.kind) : null) ?? 'Attachment');
  const link = linkOf(message);
  const content = (
    <>
      <Glyph size={16} className={classes.fixed} aria-hidden />
      {label}
    </>
  );
  if (link === null) {
    const title = MEDIA.has(message.kind) ? { title: t('The vendor sent no link.') } : {};
    return (
      <Text span size="sm" c="dimmed" className={classes.medium} {...title}>
        {content}
      </Text>
    );
  }
  return (
    <Anchor href={link} target="_blank" rel="noopener noreferrer nofollow" size="sm" className={classes.medium}>
      {content}
    </Anchor>
  );
}
