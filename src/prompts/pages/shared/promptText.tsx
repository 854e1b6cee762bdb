/**
 * The editor of a prompt's text with its errors listed below. Used on the prompt's page and in the
 * playground.
 */
import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { t } from '../../../ui/i18n.ts';
import { useSaveShortcut } from '../../../ui/shortcuts.ts';
import { TEMPLATE_VARIABLES } from '../../templateContract.ts';
import { findTemplateErrors } from '../../templateErrors.ts';
import { errorSentence, TemplateErrors } from './TemplateErrors.tsx';

const TemplateEditor = lazy(() => import('../../../ui/editor/TemplateEditor.tsx'));

const findMarks = (text: string) => findTemplateErrors(text).map((one) => ({ ...one, title: errorSentence(one) }));

interface PromptTextProps {
  value: string;
  onChange: (value: string) => void;
  /** Called on Cmd+S or Ctrl+S, wherever the cursor is on the page. */
  onSave: () => void;
}

export function PromptText({ value, onChange, onSave }: PromptTextProps) {
  useSaveShortcut(onSave);
  return (
    <>
      <Suspense fallback={<Skeleton height="16rem" />}>
        <TemplateEditor
          label={t('Text of the prompt')}
          value={value}
          onChange={onChange}
          variables={TEMPLATE_VARIABLES}
          findErrors={findMarks}
          hint={t('You are a consultant of {{company}} …', { company: '{{ company.name }}' })}
        />
      </Suspense>
      <TemplateErrors text={value} />
    </>
  );
}
