/** What came with a message, or instead of one: its kind as an icon and a word, and its link. */
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
import { t } from '../../../kit/t.ts';
import type { Message } from '../../contract.ts';
import classes from './chat.module.css';

const looks: Readonly<Record<string, { label: string; icon: Icon }>> = {
  image: { label: 'Image', icon: IconPhoto },
  'voice message': { label: 'Voice message', icon: IconMicrophone },
  video: { label: 'Video', icon: IconVideo },
  document: { label: 'Document', icon: IconFile },
  'contact card': { label: 'Contact card', icon: IconAddressBook },
  location: { label: 'Location', icon: IconMapPin },
};

type Parts = Pick<Message, 'kind' | 'media_url' | 'message'>;

/** The link that may be followed: the lead's vendor gives it, so it is read with suspicion. */
function linkOf(message: Parts): string | null {
  return message.media_url !== null && /^https?:\/\//i.test(message.media_url) ? message.media_url : null;
}

/** Whether a message is or has a medium that can be shown as one. */
export function hasMedium(message: Parts): boolean {
  return Object.hasOwn(looks, message.kind) || linkOf(message) !== null;
}

/** Whether the text only stands for the medium: `[image]`. */
export function isStandIn(message: Parts): boolean {
  return message.message === `[${message.kind}]` && hasMedium(message);
}

export function Medium({ message }: { message: Parts }) {
  const look = Object.hasOwn(looks, message.kind) ? looks[message.kind] : undefined;
  const Glyph = look?.icon ?? IconPaperclip;
  const label = look === undefined ? t('Attachment') : t(look.label);
  const link = linkOf(message);
  const words = (
    <>
      <Glyph size={16} className={classes.fixed} aria-hidden />
      {label}
    </>
  );
  if (link === null) {
    return (
      <Text span size="sm" c="dimmed" className={classes.medium} title={t('The vendor gave no link to it.')}>
        {words}
      </Text>
    );
  }
  return (
    <Anchor href={link} target="_blank" rel="noopener noreferrer nofollow" size="sm" className={classes.medium}>
      {words}
    </Anchor>
  );
}
