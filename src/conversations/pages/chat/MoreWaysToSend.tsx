/** The menu of the other ways to send. Renders nothing if there are none. */
import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconChevronUp } from '@tabler/icons-react';
import { t } from '../../../ui/i18n.ts';

interface WayToSend {
  label: string;
  keys?: string;
  onClick: () => void;
}

export function MoreWaysToSend({ ways, disabled }: { ways: readonly WayToSend[]; disabled: boolean }) {
  if (ways.length === 0) return null;
  return (
    <Menu position="top-end">
      <Menu.Target>
        <ActionIcon size="lg" variant="default" aria-label={t('More ways to send')} disabled={disabled}>
          <IconChevronUp size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {ways.map(({ label, keys, onClick }) => (
          <Menu.Item
            key={label}
            onClick={onClick}
            rightSection={
              keys && (
                <Text size="xs" c="dimmed" ml="md">
                  {keys}
                </Text>
              )
            }
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
