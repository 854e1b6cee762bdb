/** The measurement of a draft: metric, share, base rate, smallest difference, and the plan that follows from them. */
import { Alert, Button, Group, Select, SimpleGrid, Stack, Switch, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { NumberField } from '../../../ui/NumberField.tsx';
import { Section } from '../../../ui/Section.tsx';
import { experimentMetrics } from '../../experimentContract.ts';
import { AttemptsLink, formatRate } from '../shared/RateText.tsx';
import { RESULT_DAYS } from '../shared/results.ts';
import { durationSentence, type ForecastInput, forecast } from './experimentForecast.ts';
import { metricLabel, metricOptions } from './experimentLabels.ts';
import type { ExperimentEditorState } from './useExperimentEditor.ts';

/** A share as the operator types it, in percent. */
const percent = (share: number): number => +(share * 100).toFixed(4);
const share = (typed: number): number => +(typed / 100).toFixed(6);

export function MeasurementSection({ editor }: { editor: ExperimentEditorState }) {
  const { draft, edit, faultAt } = editor;
  return (
    <Section title={t('Measurement')}>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="sm" verticalSpacing="md">
        <Select
          label={t('Metric')}
          description={t('What counts as a success')}
          allowDeselect={false}
          data={metricOptions(draft.kind)}
          value={draft.metric}
          error={faultAt('metric')}
          onChange={(value) => {
            const metric = experimentMetrics.find((one) => one === value);
            if (metric) edit({ metric, base_rate: null });
          }}
        />
        <NumberField
          label={t('Within days')}
          description={t('When the result of an attempt counts')}
          min={1}
          max={90}
          allowDecimal={false}
          value={draft.days}
          empty={7}
          error={faultAt('days')}
          onChange={(days) => edit({ days })}
        />
        <NumberField
          label={t('Share of new leads')}
          description={t('The others get what the product uses')}
          suffix=" %"
          min={1}
          max={100}
          value={percent(draft.part)}
          empty={100}
          error={faultAt('part')}
          onChange={(value) => edit({ part: share(value) })}
        />
        <NumberField
          label={t('Base rate')}
          description={t('The rate without a change')}
          suffix=" %"
          min={0}
          max={99}
          decimalScale={2}
          value={percent(editor.baseRate ?? 0)}
          empty={0}
          error={faultAt('base_rate')}
          onChange={(value) => {
            // The field reports its own value too when the estimate arrives. What is entered before it is kept, whatever it is.
            if (editor.baseRate === null || share(value) !== +editor.baseRate.toFixed(6))
              edit({ base_rate: share(value) });
          }}
        />
        <NumberField
          label={t('Smallest difference worth finding')}
          description={t('Smaller ones need many more leads')}
          suffix={t(' points')}
          min={1}
          max={99}
          decimalScale={1}
          value={percent(draft.difference)}
          empty={10}
          error={faultAt('difference')}
          onChange={(value) => edit({ difference: share(value) })}
        />
      </SimpleGrid>
      <BaseRateNote editor={editor} />
    </Section>
  );
}

/** Where the base rate comes from. */
function BaseRateNote({ editor }: { editor: ExperimentEditorState }) {
  const { base, draft } = editor;
  if (!base) return null;
  if (base.rate === null)
    return (
      <Text size="sm" c="dimmed" mt="sm">
        {t('There were no such attempts in the last {{days}} days: enter the base rate that you expect.', {
          days: RESULT_DAYS,
        })}
      </Text>
    );
  return (
    <Group gap="xs" mt="sm">
      <Text size="sm" c="dimmed">
        {t('Last {{days}} days: {{metric}} {{rate}}, {{count}} of', {
          days: RESULT_DAYS,
          metric: metricLabel(draft.metric).toLowerCase(),
          rate: formatRate(base.rate),
          count: formatNumber(base.count),
        })}{' '}
        <AttemptsLink count={base.attempts} filter={base.filter} /> {t('attempts.')}{' '}
        {base.isTooFew && t('That is too few to tell.')}
      </Text>
      {draft.base_rate !== null && draft.base_rate !== base.rate && (
        <Button size="compact-xs" variant="default" onClick={() => editor.edit({ base_rate: null })}>
          {t('Use this rate')}
        </Button>
      )}
    </Group>
  );
}

/** The figures from which the plan follows; null while they are not known. */
export function forecastInput({ draft, base, baseRate }: ExperimentEditorState): ForecastInput | null {
  if (!base || baseRate === null) return null;
  const { arms, difference, part, days } = draft;
  return { weights: arms.map(({ weight }) => weight), baseRate, difference, part, days, perWeek: base.perWeek };
}

export function PlanSection({ editor }: { editor: ExperimentEditorState }) {
  const input = forecastInput(editor);
  const planned = input && forecast(input);
  const duration = input && durationSentence(input);
  return (
    <Section title={t('Plan')}>
      <div role="status">
        {planned === null || duration === null ? (
          <Text size="sm" c="dimmed">
            {t('Base rate and difference must be above 0 and together below 100 %.')}
          </Text>
        ) : (
          <Stack gap="xs">
            <Text fz="xl" fw={600}>
              {t('{{each, number}} attempts per arm, {{total, number}} in all', {
                each: planned.analyses.at(-1) ?? 0,
                total: planned.total,
              })}
            </Text>
            {duration.isLong ? (
              <Alert color="yellow" icon={<IconClock />}>
                {duration.text}
              </Alert>
            ) : (
              <Text size="sm">{duration.text}</Text>
            )}
            <Text size="sm" c="dimmed">
              {t('Decided at five analyses, after {{counts}} attempts per arm, and at no other time.', {
                counts: planned.analyses.map(formatNumber).join(', '),
              })}
            </Text>
          </Stack>
        )}
      </div>
    </Section>
  );
}

export function GuardsSection({ editor }: { editor: ExperimentEditorState }) {
  const { draft } = editor;
  return (
    <Section title={t('Guards')}>
      <Text size="sm" c="dimmed" mb="sm">
        {t('A variant stops as soon as it is certain that it exceeds the control by more than its limit.')}
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="sm">
        {GUARDS.map(({ name, label, isRate }) => {
          const limit = draft.guards[name];
          const set = (value: number | null) => editor.edit({ guards: { ...draft.guards, [name]: value } });
          return (
            <Stack key={name} gap="xs">
              <Switch
                label={t(label)}
                checked={limit !== null}
                onChange={(event) => set(event.currentTarget.checked ? DEFAULT_LIMITS[name] : null)}
              />
              <NumberField
                aria-label={t('Limit of {{guard}}', { guard: t(label) })}
                {...(isRate ? { suffix: t(' points more') } : { prefix: '$', suffix: t(' more per attempt') })}
                min={0}
                max={isRate ? 100 : 1000}
                decimalScale={isRate ? 1 : 3}
                disabled={limit === null}
                value={isRate ? percent(limit ?? 0) : (limit ?? 0)}
                empty={0}
                error={editor.faultAt(`guards.${name}`)}
                onChange={(value) => limit !== null && set(isRate ? share(value) : value)}
              />
            </Stack>
          );
        })}
      </SimpleGrid>
    </Section>
  );
}

const DEFAULT_LIMITS = { opt_outs: 0.02, refusals: 0.05, cost: 0.05 } as const;
const GUARDS = [
  { name: 'opt_outs', label: 'Opt-outs', isRate: true },
  { name: 'refusals', label: 'Refusals', isRate: true },
  { name: 'cost', label: 'Cost of models', isRate: false },
] as const;
