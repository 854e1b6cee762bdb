/** Help dialog with the active keyboard shortcuts and the guide's topics. */
import { Anchor, Button, Kbd, Modal, SimpleGrid, Table, Title } from '@mantine/core';
import { GUIDE, guideOf, guideTopics } from '../guide/contract.ts';
import { t } from '../ui/i18n.ts';
import { usePage } from '../ui/page.ts';
import { useShortcuts } from '../ui/shortcuts.ts';
import { startPage } from '../ui/startPage.ts';

export default function ShortcutList({ onClose }: { onClose: () => void }) {
  const shortcuts = useShortcuts();
  const { key: page } = usePage();
  const rows = [
    ...shortcuts.map(({ key, label }) => ({ key: readable(key), label })),
    { key: '↑ ↓', label: t('From row to row') },
    { key: 'Enter', label: t('Open the row') },
    { key: 'Space', label: t('Select the row; with Shift, all up to it') },
    { key: 'Tab', label: t('Next control') },
    { key: 'Esc', label: t('Close the dialog; leave the composer') },
  ];
  return (
    <Modal opened onClose={onClose} title={t('Help')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Button component="a" href={guideOf(page || startPage())} target="_blank" rel="noopener" fullWidth mb="md">
        {t('Guide to this page')}
      </Button>
      <Title order={2} mb="xs">
        {t('Keyboard shortcuts')}
      </Title>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {rows.map(({ key, label }) => (
            <Table.Tr key={`${key} ${label}`}>
              <Table.Td>{label}</Table.Td>
              <Table.Td ta="right" w="1%">
                <Kbd style={{ whiteSpace: 'nowrap' }}>{key}</Kbd>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Title order={2} mt="md" mb="xs">
        {t('The guide')}
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing="xs">
        {[{ slug: '', title: 'All pages of the guide' }, ...guideTopics].map(({ slug, title }) => (
          <Anchor key={slug} href={`${GUIDE}${slug}`} target="_blank" rel="noopener" size="sm">
            {t(title)}
          </Anchor>
        ))}
      </SimpleGrid>
    </Modal>
  );
}

const KEY_SYMBOLS: Readonly<Record<string, string>> = { ArrowDown: '↓', Escape: 'Esc' };

function readable(key: string): string {
  const apple = /Mac|iPhone|iPad/.test(navigator.userAgent);
  if (!key.startsWith('mod+')) return KEY_SYMBOLS[key] ?? key;
  const keys = key.slice(4).split('+');
  return [apple ? '⌘' : 'Ctrl', ...keys.map((one) => (one.length === 1 ? one.toUpperCase() : one))].join(' ');
}
