/** The follow-ups of the chosen product: what a lead who does not answer is sent, and when. */
import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useCallback, useState } from 'react';
import { Failure } from '../../kit/Failure.tsx';
import { Notice } from '../../kit/Notice.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { PageWaiting } from '../../kit/PageWaiting.tsx';
import { usePageContext } from '../../kit/pageContext.ts';
import { SaveButtons } from '../../kit/SaveButtons.tsx';
import { Section } from '../../kit/Section.tsx';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { type PingConfig, pingConfigOfProduct } from '../contract.ts';
import { cumulativeMinutes, MOST_STEPS, ONE_STEP_AT_LEAST, type StepFault } from '../pingSteps.ts';
import { Consequences } from './consequences.tsx';
import { focusFirstFault } from './focusFirstFault.ts';
import { useOfProduct } from './ofProduct.ts';
import { lengthInWords, PingSummary } from './PingSummary.tsx';
import { pingContext } from './pingContext.ts';
import { StepRow } from './StepRow.tsx';
import classes from './settings.module.css';
import { useTexts } from './texts.ts';
import { settingsOf, usePings } from './usePings.ts';

export default function PingSettingsPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const found = useOfProduct(pingConfigOfProduct, productId);
  if (found.data !== undefined) return <Editing key={productId} productId={productId} found={found.data} />;
  return (
    <PageWaiting
      title={t('Ping Settings')}
      entity={t('ping configuration')}
      description={t('The follow-ups of the chosen product.')}
      error={found.error}
      onRetry={() => void found.refetch()}
    />
  );
}

/** What was left, or looked through by an attempt to save: `7 source`. */
const nameOf = (key: number, field: StepFault['field']): string => `${key} ${field}`;

function Editing({ productId, found }: { productId: number; found: PingConfig | null }) {
  const pings = usePings(productId, found);
  const texts = useTexts(productId);
  const { draft, state, changed, faults, saving, guard } = pings;
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const steps = draft?.steps ?? [];
  const times = cumulativeMinutes(steps);
  const forget = () => setLeft(new Set());
  const leave = useCallback(
    (key: number, field: StepFault['field']) => setLeft((former) => new Set(former).add(nameOf(key, field))),
    [],
  );

  const save = async (): Promise<boolean> => {
    if (draft === null) return false;
    if (faults.length > 0) {
      setLeft(new Set(faults.map(({ index, field }) => nameOf(draft.steps[index]?.key ?? 0, field))));
      focusFirstFault();
      return false;
    }
    const done = await pings.store(draft);
    if (done) forget();
    return done;
  };
  const reset = () => {
    pings.restore();
    forget();
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
            <Button mt="xs" leftSection={<IconPlus size="1rem" />} onClick={pings.begin}>
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
                inAll={times[index] ?? 0}
                texts={texts}
                faults={faults.filter((one) => one.index === index && left.has(nameOf(step.key, one.field)))}
                kept={steps.length === 1 ? t(ONE_STEP_AT_LEAST) : null}
                onChange={pings.change}
                onLeave={leave}
                onTake={() => pings.take(index)}
              />
            ))}
          </ol>
          <Group mt="sm">
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size="1rem" />}
              disabled={steps.length >= MOST_STEPS}
              onClick={add}
            >
              {t('Add Step')}
            </Button>
          </Group>
        </Section>
        <PingSummary state={state} draft={draft} texts={texts} />
        <Consequences productId={productId} proposal={changed ? { pings: settingsOf(draft) } : null} />
      </Stack>
      {guard.question}
    </PageFrame>
  );
}
