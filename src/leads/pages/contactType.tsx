/** Labels, icons and colours of a contact's messenger. */
import { Badge, Group, Tooltip } from '@mantine/core';
import { type Icon, IconBrandTelegram, IconBrandWhatsapp } from '@tabler/icons-react';
import type { Option } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import type { Tone } from '../../ui/theme.ts';
import { type ContactType, contactTypes } from '../contract.ts';
import { useMessengers } from './messengers.ts';

// Product names, the same in every language.
const typeStyles: Readonly<Record<ContactType, { label: string; tone: Tone; icon: Icon }>> = {
  telegram: { label: 'Telegram', tone: 'blue', icon: IconBrandTelegram },
  whatsapp: { label: 'WhatsApp', tone: 'green', icon: IconBrandWhatsapp },
};

export function ContactTypeBadge({ type }: { type: ContactType }) {
  const { label, tone, icon: Glyph } = typeStyles[type];
  return (
    <Badge color={tone} leftSection={<Glyph size={12} aria-hidden />}>
      {label}
    </Badge>
  );
}

/** The icons of the messengers on which a lead can be reached. */
export function Messengers({ leadId }: { leadId: number }) {
  const { data } = useMessengers(leadId);
  if (data === undefined) return null;
  if (data.length === 0) return <span title={t('No contact')}>–</span>;
  return (
    <Group gap={4} wrap="nowrap">
      {data.map((type) => {
        const { label, tone, icon: Glyph } = typeStyles[type];
        return (
          <Tooltip key={type} label={label}>
            <Glyph size={16} role="img" aria-label={label} color={`var(--mantine-color-${tone}-light-color)`} />
          </Tooltip>
        );
      })}
    </Group>
  );
}

export function contactTypeOptions(): Option[] {
  return contactTypes.map((type) => ({ value: type, label: typeStyles[type].label }));
}
