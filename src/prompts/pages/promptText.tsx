/** The text of a prompt in its editor, with what nothing fills in named beneath: on the prompt's page and in the playground. */
import { Badge, Group, Skeleton } from '@mantine/core';
import { lazy, Suspense, useMemo } from 'react';
import { t } from '../../kit/t.ts';
import { TEMPLATE_VARIABLES, unknownVariables } from '../templateContract.ts';

const TemplateEditor = lazy(() => import('../../kit/editor/TemplateEditor.tsx'));

interface PromptTextProps {
  value: string;
  onChange: (value: string) => void;
  /** Also on Cmd+S. */
  onSave: () => void;
}

export function PromptText({ value, onChange, onSave }: PromptTextProps) {
  const unknown = useMemo(() => unknownVariables(value), [value]);
  return (
    <>
      <Suspense fallback={<Skeleton height="16rem" />}>
        <TemplateEditor
          label={t('Text of the prompt')}
          value={value}
          onChange={onChange}
          variables={TEMPLATE_VARIABLES}
          unknownIn={unknownVariables}
          onSave={onSave}
          hint={t('You are a consultant of {{company}} …', { company: '{{ company.name }}' })}
        />
      </Suspense>
      {unknown.length > 0 && (
        <Group gap="xs" role="status">
          {[...new Set(unknown.map((one) => one.path))].map((path) => (
            <Badge key={path} color="red">
              {t('Nothing fills in {{path}}', { path })}
            </Badge>
          ))}
        </Group>
      )}
    </>
  );
}
