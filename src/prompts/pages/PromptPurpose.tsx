import { Badge, Stack, Text } from '@mantine/core';
import { Loaded } from '../../kit/Loaded.tsx';
import { PageLink } from '../../kit/PageLink.tsx';
import { useEndpoint } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { t } from '../../kit/t.ts';
import { type Prompt, type PromptType, prompts } from '../contract.ts';
import { ClassificationForm } from './ClassificationForm.tsx';

interface PromptPurposeProps {
  /** Null: not saved as this type yet. */
  prompt: Prompt | null;
  type: PromptType;
  productId: number;
  /** Told whether a setting is unsaved; the same function each time. */
  onChanged: (changed: boolean) => void;
}

/** What a prompt that judges conversations is for, and what follows from it; nothing for the others. */
export function PromptPurpose({ prompt, type, productId, onChanged }: PromptPurposeProps) {
  switch (type) {
    case 'classification':
      return (
        <Section title={t('Classification')}>
          {prompt === null ? (
            <Text size="sm">{t('Save the prompt first; then it can be chosen for classification.')}</Text>
          ) : (
            <ClassificationForm productId={productId} promptId={prompt.id} onChanged={onChanged} />
          )}
        </Section>
      );
    case 'qualification':
      return (
        <Confirmation
          prompt={prompt}
          type={type}
          productId={productId}
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
          prompt={prompt}
          type={type}
          productId={productId}
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
  prompt: Prompt | null;
  type: PromptType;
  productId: number;
  title: string;
  lines: readonly string[];
}

function Confirmation({ prompt, type, productId, title, lines }: ConfirmationProps) {
  return (
    <Section title={title}>
      <Stack gap="xs">
        {lines.map((line) => (
          <Text key={line} size="sm">
            {line}
          </Text>
        ))}
        <InUse prompt={prompt} type={type} productId={productId} />
      </Stack>
    </Section>
  );
}

/** Whether this is the product's prompt of its type: the newest without a group. */
function InUse({ prompt, type, productId }: Omit<ConfirmationProps, 'title' | 'lines'>) {
  const newest = useEndpoint(
    prompts.list,
    {
      query: {
        product_id: [productId],
        type: [type],
        order_by: 'created_at',
        order: 'desc',
        limit: 100,
        with_total: false,
      },
    },
    { enabled: productId > 0 },
  );
  if (prompt === null) return <Text size="sm">{t('Once saved, it is the one in use: the newest of its type.')}</Text>;
  return (
    <Loaded query={newest} entity={t(prompts.plural)}>
      {({ items }) => {
        const used = items.find((one) => one.group_id === null);
        if (used?.id === prompt.id) return <Badge color="green">{t('In use')}</Badge>;
        if (prompt.group_id !== null)
          return <Text size="sm">{t('Not in use: a prompt in a group is only looked up by the model.')}</Text>;
        return (
          <Text size="sm">
            {t('Not in use: there is a newer one.')}{' '}
            {used && (
              <PageLink to="prompt-detail" params={{ promptId: used.id }}>
                {used.name}
              </PageLink>
            )}
          </Text>
        );
      }}
    </Loaded>
  );
}
