/**
 * The editor of a prompt's text with its unknown variables listed below. Used on the prompt's page and in the
 * playground.
 */
import { Badge, Group, Skeleton } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { t } from '../../../ui/i18n.ts';
import { useSaveShortcut } from '../../../ui/shortcuts.ts';
import { TEMPLATE_VARIABLES, unknownVariables } from '../../templateContract.ts';

const TemplateEditor = lazy(() => import('../../../ui/editor/TemplateEditor.tsx'));

interface PromptTextProps {
  value: string;
  onChange: (value: string) => void;
  /** Called on Cmd+S or Ctrl+S, wherever the cursor is on the page. */
  onSave: () => void;
}

export function PromptText({ value, onChange, onSave }: PromptTextProps) {
  const unknown = useMemo(() => unknownVariables(value), [value]);
  useSaveShortcut(onSave);
  return (
    <>
      <Suspense fallback={<Skeleton height="16rem" />}>
        <TemplateEditor
          label={t('Text of the prompt')}
          value={value}
          onChange={onChange}
          variables={TEMPLATE_VARIABLES}
          findUnknown={unknownVariables}
          hint={t('You are a consultant of {{company}} …', { company: '{{ company.name }}' })}
        />
      </Suspense>
      {unknown.length > 0 && (
        <Group gap="xs" role="status">
          {[...new Set(unknown.map((one) => one.path))].map((path) => (
            <Badge key={path} color="red">
              {t('Unknown variable {{path}}', { path })}
            </Badge>
          ))}
        </Group>
      )}
    </>
  );
}
