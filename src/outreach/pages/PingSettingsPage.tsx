/** Page of a product's follow-ups: what a lead who does not reply is sent, and when. */
import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { NewPreparedButton } from '../../prompts/pages/shared/PreparedButtons.tsx';
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
import {
  cumulativeMinutes,
  MAX_STEPS,
  NEW_STEP,
  ONE_STEP_AT_LEAST,
  type StepDraft,
  type StepFault,
  setSource,
} from '../sequence.ts';
import { focusFirstError } from './focusFirstError.ts';
import { lengthInWords, PingSummary } from './PingSummary.tsx';
import { pingContext } from './pingContext.ts';
import { StepRow } from './StepRow.tsx';
import classes from './settings.module.css';
import { Consequences } from './shared/consequences.tsx';
import { hasSameText, useStepResults } from './stepResults.ts';
import { type StepTexts, useStepTexts } from './stepTexts.ts';
import { type PingDraft, toRequestBody, usePings } from './usePings.ts';
import { useProductSetting } from './useProductSetting.ts';

/** Minutes between a follow-up that is written here and the one before. */
const DAY = 24 * 60;

type Pings = ReturnType<typeof usePings>;

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

function Editing({ productId, loaded }: { productId: number; loaded: PingConfig | null }) {
  const pings = usePings(productId, loaded);
  const texts = useStepTexts(productId);
  const { draft, state, changed, saving, guard } = pings;
  const { faults, onLeave, save, reset } = useChecked(pings);
  usePageContext(pingContext(pings, texts, { save, reset }));

  if (draft === null) {
    return (
      <PageFrame title={t('Ping Settings')} fill>
        <Notice
          title={t('No Ping Configuration for Product')}
          text={t('Leads who do not reply get no further messages.')}
          action={
            <Group mt="xs" gap="xs" justify="center">
              <Button leftSection={<IconPlus size="1rem" />} onClick={() => pings.startDraft()}>
                {t('Create Ping Configuration')}
              </Button>
              <WriteMessage
                productId={productId}
                number={1}
                label={t('Write the first message')}
                size="sm"
                onStep={pings.startDraft}
              />
            </Group>
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
              description={t('When off, no follow-ups are sent for this product.')}
              checked={draft.is_enabled}
              onChange={({ currentTarget: { checked } }) => pings.edit(() => ({ is_enabled: checked }))}
            />
            <Switch
              label={t('Follow up leads who never replied')}
              description={t('Step 1 then counts from when the dialogue was created.')}
              checked={draft.use_on_no_init_msg_reply}
              onChange={({ currentTarget: { checked } }) => pings.edit(() => ({ use_on_no_init_msg_reply: checked }))}
            />
          </Stack>
        </Section>
        <Steps productId={productId} draft={draft} pings={pings} texts={texts} faults={faults} onLeave={onLeave} />
        <PingSummary state={state} draft={draft} texts={texts} />
        <Consequences productId={productId} proposal={changed ? { pings: toRequestBody(draft) } : null} />
      </Stack>
      {guard.question}
    </PageFrame>
  );
}

type Leave = (key: number, field: StepFault['field']) => void;

/** Saving and resetting; `faults` are those of fields that were left, or checked by an attempt to save. */
function useChecked({ draft, faults, store, restore }: Pings) {
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const onLeave: Leave = useCallback(
    (key, field) => setTouched((previous) => new Set(previous).add(`${key} ${field}`)),
    [],
  );
  const keyOfFault = ({ index, field }: StepFault) => `${draft?.steps[index]?.key} ${field}`;
  const save = async (): Promise<boolean> => {
    if (draft === null) return false;
    if (faults.length > 0) {
      setTouched(new Set(faults.map(keyOfFault)));
      focusFirstError();
      return false;
    }
    const isSaved = await store(draft);
    if (isSaved) setTouched(new Set());
    return isSaved;
  };
  const reset = () => {
    restore();
    setTouched(new Set());
    toast.info(t('Configuration reset to saved values.'));
  };
  return { faults: faults.filter((fault) => touched.has(keyOfFault(fault))), onLeave, save, reset };
}

interface StepsProps {
  productId: number;
  draft: PingDraft;
  pings: Pings;
  texts: StepTexts;
  faults: readonly StepFault[];
  onLeave: Leave;
}

function Steps({ productId, draft: { steps }, pings, texts, faults, onLeave }: StepsProps) {
  const times = cumulativeMinutes(steps);
  const results = useStepResults(productId);
  const focusDelay = (key: number) =>
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-minutes="${key}"]`)?.focus());
  return (
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
            result={hasSameText(step, pings.stored?.config.steps[index]) ? results.get(index + 1) : undefined}
            texts={texts}
            faults={faults.filter((one) => one.index === index)}
            removeDisabledReason={steps.length === 1 ? t(ONE_STEP_AT_LEAST) : null}
            onChange={pings.change}
            onLeave={onLeave}
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
          onClick={() => focusDelay(pings.add())}
        >
          {t('Add Step')}
        </Button>
        {steps.length < MAX_STEPS && (
          <WriteMessage
            productId={productId}
            number={steps.length + 1}
            label={t('Write the next message')}
            size="xs"
            onStep={pings.add}
          />
        )}
      </Group>
    </Section>
  );
}

interface WriteMessageProps {
  productId: number;
  number: number;
  label: string;
  size: 'xs' | 'sm';
  onStep: (step: StepDraft) => void;
}

/** A button that writes a message, and makes it the step of this number. */
function WriteMessage({ productId, number, label, size, onStep }: WriteMessageProps) {
  const toStep = (id: number) =>
    onStep({ ...setSource(NEW_STEP, 'prepared_message'), after_minutes: DAY, prepared_message_id: id });
  return (
    <NewPreparedButton
      productId={productId}
      type="ping"
      name={t('Follow-up {{number}}', { number })}
      label={label}
      size={size}
      onChoose={toStep}
    />
  );
}
