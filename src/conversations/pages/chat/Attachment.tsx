/** The media of a message: its kind as an icon and a label, and its link. */
import { Anchor, Text } from '@mantine/core';
import {
  type Icon,
  IconAddressBook,
  IconFile,
  IconMapPin,
  IconMicrophone,
  IconPaperclip,
  IconPhoto,
  IconVideo,
} from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';
import type { Message } from '../../contract.ts';
import classes from './chat.module.css';

const attachmentStyles: Readonly<Record<string, { label: string; icon: Icon }>> = {
  image: { label: 'Image', icon: IconPhoto },
  'voice message': { label: 'Voice message', icon: IconMicrophone },
  video: { label: 'Video', icon: IconVideo },
  document: { label: 'Document', icon: IconFile },
  'contact card': { label: 'Contact card', icon: IconAddressBook },
  location: { label: 'Location', icon: IconMapPin },
};

type AttachmentFields = Pick<Message, 'kind' | 'media_url' | 'message'>;

/** Return the link if it is safe to follow. The lead's vendor supplies it, so only http and https are accepted. */
function linkOf(message: AttachmentFields): string | null {
  return message.media_url !== null && /^https?:\/\//i.test(message.media_url) ? message.media_url : null;
}

/** Whether a message has media that can be shown. */
export function hasAttachment(message: AttachmentFields): boolean {
  return Object.hasOwn(attachmentStyles, message.kind) || linkOf(message) !== null;
}

/** Whether the text is only a placeholder for the media: `[image]`. */
export function isPlaceholder(message: AttachmentFields): boolean {
  return message.message === `[${message.kind}]` && hasAttachment(message);
}

export function Attachment({ message }: { message: AttachmentFields }) {
  const style = Object.hasOwn(attachmentStyles, message.kind) ? attachmentStyles[message.kind] : undefined;
  const Glyph = style?.icon ?? IconPaperclip;
  const label = style === undefined ? t('Attachment') : t(style.label);
  const link = linkOf(message);
  const content = (
    <>
      <Glyph size={16} className={classes.fixed} aria-hidden />
      {label}
    </>
  );
  if (link === null) {
    return (
      <Text span size="sm" c="dimmed" className={classes.medium} title={t('The vendor sent no link.')}>
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
