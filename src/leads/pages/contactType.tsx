/** How each messenger of a contact looks. */
import { Badge } from '@mantine/core';
import { type Icon, IconBrandTelegram, IconBrandWhatsapp } from '@tabler/icons-react';
import type { Option } from '../../kit/form.ts';
import type { Tone } from '../../kit/theme.ts';
import { type ContactType, contactTypes } from '../contract.ts';

// Names of products, the same in every language.
const looks: Readonly<Record<ContactType, { label: string; tone: Tone; icon: Icon }>> = {
  telegram: { label: 'Telegram', tone: 'blue', icon: IconBrandTelegram },
  whatsapp: { label: 'WhatsApp', tone: 'green', icon: IconBrandWhatsapp },
};

export function ContactTypeBadge({ type }: { type: ContactType }) {
  const { label, tone, icon: Glyph } = looks[type];
  return (
    <Badge color={tone} leftSection={<Glyph size={12} aria-hidden />}>
      {label}
    </Badge>
  );
}

export function contactTypeOptions(): Option[] {
  return contactTypes.map((type) => ({ value: type, label: looks[type].label }));
}
