/** The errors of a template, below the text that has them. */
import { Badge, Group } from '@mantine/core';
import { useMemo } from 'react';
import { t } from '../../../ui/i18n.ts';
import { findTemplateErrors, TEMPLATE_ERRORS, type TemplateError } from '../../templateErrors.ts';

export const errorSentence = ({ code, name }: TemplateError): string => t(TEMPLATE_ERRORS[code], { name });

/** Return what is wrong with a text, each once. */
export const errorsOf = (text: string): string[] => [...new Set(findTemplateErrors(text).map(errorSentence))];

export function TemplateErrors({ text }: { text: string }) {
  const errors = useMemo(() => errorsOf(text), [text]);
  if (errors.length === 0) return null;
  return (
    <Group gap="xs" role="status">
      {errors.map((error) => (
        <Badge key={error} color="red" tt="none" h="auto" styles={{ label: { whiteSpace: 'normal' } }}>
          {error}
        </Badge>
      ))}
    </Group>
  );
}
