/** What the keyboard can do right now. */
import { Kbd, Modal, Table } from '@mantine/core';
import { useShortcuts } from '../kit/keys.ts';
import { t } from '../kit/t.ts';

export default function ShortcutList({ onClose }: { onClose: () => void }) {
  const shortcuts = useShortcuts();
  const rows = [
    ...shortcuts.map(({ key, label }) => ({ key: readable(key), label })),
    { key: '↑ ↓', label: t('From row to row') },
    { key: 'Enter', label: t('Open the row') },
    { key: 'Space', label: t('Select the row; with Shift, all up to it') },
    { key: 'Tab', label: t('Next control') },
    { key: 'Esc', label: t('Close the dialog') },
  ];
  return (
    <Modal opened onClose={onClose} title={t('Keyboard shortcuts')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Table withRowBorders={false}>
        <Table.Tbody>
          {rows.map(({ key, label }) => (
            <Table.Tr key={`${key} ${label}`}>
              <Table.Td>{label}</Table.Td>
              <Table.Td ta="right">
                <Kbd style={{ whiteSpace: 'nowrap' }}>{key}</Kbd>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}

const SIGNS: Readonly<Record<string, string>> = { ArrowDown: '↓', Escape: 'Esc' };

function readable(key: string): string {
  const apple = /Mac|iPhone|iPad/.test(navigator.userAgent);
  return key.startsWith('mod+') ? `${apple ? '⌘' : 'Ctrl'} ${key.slice(4).toUpperCase()}` : (SIGNS[key] ?? key);
}
