import { Stack, Text } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { Section } from '../../ui/Section.tsx';
import type { Prompt, PromptType } from '../contract.ts';
import { ClassificationForm } from './ClassificationForm.tsx';

interface PromptPurposeProps {
  /** Null: not saved with this type yet. */
  prompt: Prompt | null;
  type: PromptType;
  productId: number;
  /** Called when a setting becomes unsaved or saved. Must be the same function at every render. */
  onChanged: (changed: boolean) => void;
}

/** Explains the purpose and effects of prompts that judge conversations. Renders nothing for other types. */
export function PromptPurpose({ prompt, type, productId, onChanged }: PromptPurposeProps) {
  switch (type) {
    case 'classification':
      return (
        <Section title={t('Classification')}>
          {prompt === null ? (
            <Text size="sm">{t('Save the prompt first, then choose it for classification.')}</Text>
          ) : (
            <ClassificationForm productId={productId} promptId={prompt.id} onChanged={onChanged} />
          )}
        </Section>
      );
    case 'qualification':
      return (
        <Confirmation
          title={t('Qualification')}
          lines={[
            t(
              'When classification finds Success, the model is asked again with this prompt whether the lead is qualified.',
            ),
            t('Confirmed: the lead moves to Success, and the dialogue goes to a human as qualified.'),
            t('Not confirmed: the stage stays, the bot goes on, and the dialogue shows why.'),
            t('Without such a prompt, Success needs no confirmation.'),
          ]}
        />
      );
    case 'refusal_qualification':
      return (
        <Confirmation
          title={t('Refusal qualification')}
          lines={[
            t(
              'When classification finds Refused, the model is asked again with this prompt whether the lead has really refused.',
            ),
            t('Confirmed: the lead moves to Refused, and what the bot had scheduled is cancelled.'),
            t('If it finds that the lead wants no messages at all, the lead is deactivated as well.'),
            t('Not confirmed: the stage stays, and the dialogue shows why.'),
            t('Without such a prompt, Refused needs no confirmation.'),
          ]}
        />
      );
    default:
      return null;
  }
}

interface ConfirmationProps {
  title: string;
  lines: readonly string[];
}

function Confirmation({ title, lines }: ConfirmationProps) {
  return (
    <Section title={title}>
      <Stack gap="xs">
        {lines.map((line) => (
          <Text key={line} size="sm">
            {line}
          </Text>
        ))}
      </Stack>
    </Section>
  );
}
