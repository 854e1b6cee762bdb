import { Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { t } from '../../ui/i18n.ts';
import { YesNo } from '../../ui/YesNo.tsx';
import type { CompanyLlm } from '../contract.ts';

/** State of a key: active only if a test has shown that it works; else what is wrong stays visible. */
export function CredentialState({ llm }: { llm: CompanyLlm }) {
  const warnings = warningsOf(llm);
  return (
    <Stack gap={2} py={4}>
      <YesNo value={llm.is_active && llm.test?.ok === true} yes={t('Active')} no={stateWithoutProof(llm)} />
      {warnings.map((warning) => (
        <Text key={warning} size="xs" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          <IconAlertTriangle size="1em" aria-hidden style={{ verticalAlign: 'text-bottom' }} /> {warning}
        </Text>
      ))}
    </Stack>
  );
}

function stateWithoutProof({ is_active, test }: CompanyLlm): string {
  if (!is_active) return t('Inactive');
  return test === null ? t('In use, not tested') : t('In use, does not work');
}

function warningsOf({ test, refused }: CompanyLlm): string[] {
  const failed = test?.parts.filter(({ ok }) => !ok).map(({ sentence }) => sentence) ?? [];
  return [
    ...(test !== null && !test.ok && failed.length === 0 ? [test.reason ?? ''] : []),
    ...failed,
    ...Object.entries(refused).map(([model, parameters]) =>
      t('{{model}} is asked without {{parameters}}, which its server refuses.', {
        model,
        parameters: Object.keys(parameters).join(', '),
      }),
    ),
  ];
}
