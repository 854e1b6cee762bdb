/** Keys for connecting vendors in this sandbox, each with a copy button. */
import { Code, CopyButton, Group, Text, UnstyledButton } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { useEndpoint } from '../../ui/query.ts';
import { listKeys } from '../contract.ts';
import { Panel, SmallText } from './Panel.tsx';

export function KeyPanel() {
  const keys = useEndpoint(listKeys, {});
  return (
    <Panel title={t('Keys')} query={keys} entity={t('keys')}>
      {({ items }) => (
        <>
          <SmallText>{t('To connect something of your own, use these where a vendor’s key is asked for.')}</SmallText>
          {items.map(({ vendor, key, gives }) => (
            <div key={vendor}>
              <Group gap="xs" justify="space-between">
                <Text size="sm" fw={500}>
                  {vendor}
                </Text>
                {key !== null && <Copy vendor={vendor} text={key} />}
              </Group>
              {key !== null && <Code>{key}</Code>}
              <SmallText>{t(gives)}</SmallText>
            </div>
          ))}
        </>
      )}
    </Panel>
  );
}

function Copy({ vendor, text }: { vendor: string; text: string }) {
  const label = t('Copy the key of {{vendor}}', { vendor });
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <UnstyledButton fz="xs" c="var(--mantine-color-anchor)" onClick={copy} aria-label={label}>
          {copied ? t('Copied') : t('Copy')}
        </UnstyledButton>
      )}
    </CopyButton>
  );
}
