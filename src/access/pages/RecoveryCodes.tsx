/** Dialog with the recovery codes, shown only once. */
import { Button, CopyButton, Group, Modal, Stack, Text } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import classes from './account.module.css';

interface RecoveryCodesProps {
  codes: readonly string[];
  onClose: () => void;
}

export default function RecoveryCodes({ codes, onClose }: RecoveryCodesProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('Recovery codes')}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Text size="sm">
          {t(
            'Keep these codes in a safe place. Each works once in place of your second factor. They are not shown again.',
          )}
        </Text>
        <ul className={classes.codes} aria-label={t('Recovery codes')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group justify="flex-end">
          <CopyButton value={codes.join('\n')}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? t('Copied') : t('Copy')}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>{t('I have saved them')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
