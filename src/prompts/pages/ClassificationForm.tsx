import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { z } from 'zod';
import {
  type ClassificationConfig,
  classificationConfigs,
  USUAL_MINUTES,
} from '../../conversations/classificationConfigContract.ts';
import { StageDetectionOff, useStageDetection } from '../../conversations/pages/shared/stageDetection.tsx';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { FORM_END, FormFields } from '../../ui/FormFields.tsx';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { useForm } from '../../ui/useForm.ts';
import { useSubmit } from '../../ui/useSubmit.ts';
import { promptsOf } from './promptLabels.tsx';

interface ClassificationFormProps {
  productId: number;
  /** Preselected when nothing is configured yet. */
  promptId: number | null;
  /** Called when unsaved changes appear or disappear. Must be the same function at every render. */
  onChanged: (changed: boolean) => void;
  onDone?: () => void;
}

/** Form that turns classification on or off and sets its delay and prompt. */
export function ClassificationForm({ productId, promptId, onChanged, onDone }: ClassificationFormProps) {
  const found = useStageDetection(productId);
  if (found.data === undefined) {
    if (found.error) return <Failure error={found.error} onRetry={() => void found.refetch()} />;
    return (
      <Text size="sm" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: t(classificationConfigs.plural) })}
      </Text>
    );
  }
  const config = found.data.items[0] ?? null;
  return (
    <Settings
      // Start over from another operator's change instead of overwriting it.
      key={JSON.stringify(config?.config ?? null)}
      productId={productId}
      config={config}
      promptId={promptId}
      onChanged={onChanged}
      {...(onDone ? { onDone } : {})}
    />
  );
}

const written = z.object({ is_on: z.boolean(), interval_minutes: z.number(), prompt_id: z.number() });

function Settings({
  productId,
  config,
  promptId,
  onChanged,
  onDone,
}: ClassificationFormProps & { config: ClassificationConfig | null }) {
  const cache = useQueryClient();
  const fields = useMemo(() => fieldsOf(productId), [productId]);
  const initial = useMemo(
    () => ({
      is_on: config !== null,
      interval_minutes: String(config?.config.interval_minutes ?? USUAL_MINUTES),
      prompt_id: String(config?.config.prompt_id ?? promptId ?? ''),
    }),
    [config, promptId],
  );
  const form = useForm(fields, initial);
  const { changed } = form;
  useEffect(() => {
    onChanged(changed);
    return () => onChanged(false);
  }, [changed, onChanged]);
  const isOn = form.values.is_on === true;
  // When classification is off, neither prompt nor interval is required.
  const asked = { ...form, fields: isOn ? fields : fields.slice(0, 1), check: () => !isOn || form.validate() };
  const sending = useSubmit(
    { ...asked, fields },
    (body) => store(config, isOn ? { ...written.parse(body), product_id: productId } : null),
    (message) => {
      toast.success(message);
      void cache.invalidateQueries({ queryKey: keyOf(classificationConfigs.list) });
      onDone?.();
    },
  );
  return (
    <form
      noValidate
      aria-label={t('Classification')}
      onSubmit={(event) => {
        event.preventDefault();
        sending.submit();
      }}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t(
            'Some time after the lead’s last message, this prompt detects the stage (Ongoing, Pending, Success, Refused or Failed) and gives the reason, once per turn.',
          )}
        </Text>
        <StageDetectionOff productId={productId} />
        <FormFields form={asked} />
        {isOn && (
          <ul style={{ margin: 0, paddingInlineStart: '1.25rem' }}>
            {effects().map((line) => (
              <Text key={line} size="sm" c="dimmed" component="li">
                {line}
              </Text>
            ))}
          </ul>
        )}
        {!isOn && config !== null && (
          <Alert color="yellow">{t('No more dialogues will be classified. Existing results stay.')}</Alert>
        )}
        {sending.error && <Failure error={sending.error} />}
        <Group justify="flex-end" {...FORM_END}>
          <Button type="submit" size="xs" disabled={!form.changed} loading={sending.pending}>
            {t('Save classification')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Store the settings; null: switch classification off. Return the message for the operator. */
async function store(
  config: ClassificationConfig | null,
  next: (z.output<typeof written> & { product_id: number }) | null,
): Promise<string> {
  if (next === null) {
    if (config) await call(classificationConfigs.remove, { params: { id: config.id } });
    return t('Classification is switched off');
  }
  const { product_id, interval_minutes, prompt_id } = next;
  const body = { product_id, config: { interval_minutes, prompt_id } };
  if (config) await call(classificationConfigs.replace, { params: { id: config.id }, body });
  else await call(classificationConfigs.create, { body });
  return t('Classification saved');
}

const effects = (): string[] => [
  t(
    'Success hands the dialogue to a human as qualified. If the product has a qualification prompt, it must confirm this first.',
  ),
  t(
    'Refused and Failed turn the bot off. If the product has a refusal qualification prompt, it must confirm a refusal, and may find that the lead wants no messages at all.',
  ),
  t(
    'Not classified: dialogues that a human owns, and leads that are inactive or in stage Success, Refused, Ignore or Failed.',
  ),
  t('Applies to messages that leads write from now on.'),
];

function fieldsOf(productId: number): Field[] {
  return [
    { kind: 'boolean', name: 'is_on', label: t('Classify dialogues of this product') },
    {
      kind: 'number',
      name: 'interval_minutes',
      label: t('Minutes after the last message of the lead'),
      required: true,
      integer: true,
      min: 1,
      max: 100_000,
    },
    {
      kind: 'select',
      name: 'prompt_id',
      label: t('Classification prompt'),
      required: true,
      source: promptsOf(productId, 'classification'),
    },
  ];
}
