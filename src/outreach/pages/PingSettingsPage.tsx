/** Page of a product's follow-ups: what a lead who does not reply is sent, and when. */
import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLoading } from '../../ui/PageLoading.tsx';
import { usePageContext } from '../../ui/pageContext.ts';
import { SaveButtons } from '../../ui/SaveButtons.tsx';
import { Section } from '../../ui/Section.tsx';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { type PingConfig, pingConfigOfProduct } from '../contract.ts';
import { cumulativeMinutes, MAX_STEPS, ONE_STEP_AT_LEAST, type StepFault } from '../sequence.ts';
import { Consequences } from './consequences.tsx';
import { focusFirstError } from './focusFirstError.ts';
import { lengthInWords, PingSummary } from './PingSummary.tsx';
import { pingContext } from './pingContext.ts';
import { StepRow } from './StepRow.tsx';
import classes from './settings.module.css';
import { useStepTexts } from './stepTexts.ts';
import { toRequestBody, usePings } from './usePings.ts';
import { useProductSetting } from './useProductSetting.ts';

export default function PingSettingsPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const query = useProductSetting(pingConfigOfProduct, productId);
  if (query.data !== undefined) return <Editing key={productId} productId={productId} loaded={query.data} />;
  return (
    <PageLoading
      title={t('Ping Settings')}
      entity={t('ping configuration')}
      description={t('The follow-ups of the chosen product.')}
      error={query.error}
      onRetry={() => void query.refetch()}
    />
  );
}

/** Build the key of a field that was left, or checked by an attempt to save: `7 source`. */
const fieldKey = (key: number, field: StepFault['field']): string => `${key} ${field}`;

function Editing({ productId, loaded }: { productId: number; loaded: PingConfig | null }) {
  const pings = usePings(productId, loaded);
  const texts = useStepTexts(productId);
  const { draft, state, changed, faults, saving, guard } = pings;
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const steps = draft?.steps ?? [];
  const times = cumulativeMinutes(steps);
  const resetTouched = () => setTouched(new Set());
  const markTouched = useCallback(
    (key: number, field: StepFault['field']) => setTouched((previous) => new Set(previous).add(fieldKey(key, field))),
    [],
  );

  const save = async (): Promise<boolean> => {
    if (draft === null) return false;
    if (faults.length > 0) {
      setTouched(new Set(faults.map(({ index, field }) => fieldKey(draft.steps[index]?.key ?? 0, field))));
      focusFirstError();
      return false;
    }
    const isSaved = await pings.store(draft);
    if (isSaved) resetTouched();
    return isSaved;
  };
  const reset = () => {
    pings.restore();
    resetTouched();
    toast.info(t('Configuration reset to saved values.'));
  };
  const add = () => {
    const key = pings.add();
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-minutes="${key}"]`)?.focus());
  };
  usePageContext(pingContext(pings, texts, { save, reset }));

  if (draft === null) {
    return (
      <PageFrame title={t('Ping Settings')} fill>
        <Notice
          title={t('No Ping Configuration for Product')}
          text={t('A lead who does not answer is not written to again.')}
          action={
            <Button mt="xs" leftSection={<IconPlus size="1rem" />} onClick={pings.startDraft}>
              {t('Create Ping Configuration')}
            </Button>
          }
        />
        {guard.question}
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={t('Ping Settings')}
      aside={changed && <Badge color="yellow">{t('Unsaved')}</Badge>}
      actions={
        <SaveButtons label={t('Save Configuration')} changed={changed} saving={saving} onSave={save} onReset={reset} />
      }
    >
      <Stack gap="md">
        {pings.notice}
        {pings.error && <Failure error={pings.error} />}
        <Section title={t('General')}>
          <Stack gap="sm">
            <Switch
              label={t('Pings enabled')}
              description={t('Off: no follow-ups are sent in this product.')}
              checked={draft.is_enabled}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                pings.edit(() => ({ is_enabled: checked }));
              }}
            />
            <Switch
              label={t('Also where the first message was never answered')}
              description={t('Step 1 then counts from when the dialogue was created.')}
              checked={draft.use_on_no_init_msg_reply}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                pings.edit(() => ({ use_on_no_init_msg_reply: checked }));
              }}
            />
          </Stack>
        </Section>
        <Section
          title={t('Steps')}
          actions={
            <Text size="sm" c="dimmed">
              {lengthInWords(steps)}
            </Text>
          }
        >
          <ol className={classes.steps}>
            {steps.map((step, index) => (
              <StepRow
                key={step.key}
                productId={productId}
                number={index + 1}
                step={step}
                totalMinutes={times[index] ?? 0}
                texts={texts}
                faults={faults.filter((one) => one.index === index && touched.has(fieldKey(step.key, one.field)))}
                removeDisabledReason={steps.length === 1 ? t(ONE_STEP_AT_LEAST) : null}
                onChange={pings.change}
                onLeave={markTouched}
                onRemove={() => pings.deleteStep(index)}
              />
            ))}
          </ol>
          <Group mt="sm">
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size="1rem" />}
              disabled={steps.length >= MAX_STEPS}
              onClick={add}
            >
              {t('Add Step')}
            </Button>
          </Group>
        </Section>
        <PingSummary state={state} draft={draft} texts={texts} />
        <Consequences productId={productId} proposal={changed ? { pings: toRequestBody(draft) } : null} />
      </Stack>
      {guard.question}
    </PageFrame>
  );
}
