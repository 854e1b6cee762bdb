/** Page of the working hours of the chosen product. */
import { Badge, Button, Select, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { DeleteDialog } from '../../ui/DeleteDialog.tsx';
import { ZoneClock } from '../../ui/DualTimestamp.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLoading } from '../../ui/PageLoading.tsx';
import { usePageContext } from '../../ui/pageContext.ts';
import { SaveButtons } from '../../ui/SaveButtons.tsx';
import { Section } from '../../ui/Section.tsx';
import { useProductZone, useScope } from '../../ui/scope.ts';
import { zoneOptions } from '../../ui/timeZones.ts';
import { toast } from '../../ui/toast.ts';
import { scheduleOfProduct } from '../contract.ts';
import type { DayKey } from '../schedule.ts';
import { DayRows } from './DayRows.tsx';
import { focusFirstError } from './focusFirstError.ts';
import { ScheduleSummary } from './ScheduleSummary.tsx';
import { scheduleContext } from './scheduleContext.ts';
import classes from './settings.module.css';
import { Consequences, previewEffects } from './shared/consequences.tsx';
import { HoursWarning } from './shared/SendAtWarning.tsx';
import { useProductSetting } from './useProductSetting.ts';
import { type Schedule, useSchedule } from './useSchedule.ts';

export default function ScheduleSettingsPage() {
  const zone = useProductZone();
  const productId = useScope().product?.id ?? 0;
  const query = useProductSetting(scheduleOfProduct, productId);
  if (query.data !== undefined)
    return <Editing key={productId} productId={productId} productZone={zone} loaded={query.data} />;
  return (
    <PageLoading
      title={t('Schedule Settings')}
      entity={t('schedule')}
      description={t('When messages of the chosen product may be sent.')}
      error={query.error}
      onRetry={() => void query.refetch()}
    />
  );
}

interface EditingProps {
  productId: number;
  productZone: string;
  loaded: Schedule | null;
}

function Editing({ productId, productZone, loaded }: EditingProps) {
  const schedule = useSchedule({ id: productId, timezone: productZone }, loaded);
  const { draft, state, changed, saving, guard } = schedule;
  const [deleting, setDeleting] = useState(false);
  const { faults, onLeave, resetTouched, save, reset } = useChecked(schedule);
  usePageContext(scheduleContext(schedule, { save, reset }));

  if (draft === null) {
    return (
      <PageFrame title={t('Schedule Settings')} fill>
        <Notice
          title={t('No Schedule for Product')}
          text={t('No restrictions')}
          action={
            <>
              <Text size="sm" c="dimmed" ta="center">
                {t('Messages can be sent at any time, day or night.')}
              </Text>
              <Button mt="xs" leftSection={<IconPlus size="1rem" />} onClick={schedule.startDraft}>
                {t('Create Schedule')}
              </Button>
            </>
          }
        />
        {guard.question}
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={t('Schedule Settings')}
      aside={changed && <Badge color="yellow">{t('Unsaved')}</Badge>}
      actions={
        <SaveButtons
          label={t('Save Schedule')}
          changed={changed}
          saving={saving}
          onSave={save}
          onReset={reset}
          cancels={state === 'creating'}
          removal={state === 'creating' ? null : { label: t('Delete Schedule'), onRemove: () => setDeleting(true) }}
        />
      }
    >
      <Stack gap="md">
        {schedule.notice}
        {schedule.error && <Failure error={schedule.error} />}
        <div className={classes.cards}>
          <DayRows days={draft.days} faults={faults} onChange={(days) => schedule.edit({ days })} onLeave={onLeave} />
          <Stack gap="md">
            <Timezone zone={draft.timezone} onChange={(timezone) => schedule.edit({ timezone })} />
            <HoursWarning productId={productId} hours={draft} />
            <ScheduleSummary productId={productId} state={state} zone={draft.timezone} days={draft.days} />
            <Consequences
              productId={productId}
              proposal={changed ? { schedule: { timezone: draft.timezone, config: { days: draft.days } } } : null}
            />
          </Stack>
        </div>
      </Stack>
      {deleting && (
        <DeleteDialog
          what={t('the schedule')}
          remove={schedule.remove}
          cascadeCounts={() => describeDeletion(productId)}
          onDone={resetTouched}
          onClose={() => setDeleting(false)}
        />
      )}
      {guard.question}
    </PageFrame>
  );
}

/** Saving and resetting; `faults` are those of days that were left, or checked by an attempt to save. */
function useChecked({ stored, draft, faults, store, restore }: ReturnType<typeof useSchedule>) {
  const [touched, setTouched] = useState<ReadonlySet<DayKey>>(new Set());
  const resetTouched = () => setTouched(new Set());
  const save = async (): Promise<boolean> => {
    if (draft === null) return false;
    if (faults.length > 0) {
      setTouched(new Set(faults.map(({ key }) => key)));
      focusFirstError();
      return false;
    }
    const isSaved = await store(draft);
    if (isSaved) resetTouched();
    return isSaved;
  };
  const reset = () => {
    restore();
    resetTouched();
    if (stored !== null) toast.info(t('Configuration reset to saved values.'));
  };
  const onLeave = (key: DayKey) => setTouched((previous) => new Set(previous).add(key));
  return { faults: faults.filter(({ key }) => touched.has(key)), onLeave, resetTouched, save, reset };
}

function Timezone({ zone, onChange }: { zone: string; onChange: (zone: string) => void }) {
  const options = useMemo(() => zoneOptions(zone), [zone]);
  return (
    <Section
      title={t('Time zone')}
      actions={
        <Text size="sm" c="dimmed">
          <ZoneClock zone={zone} />
        </Text>
      }
    >
      <Select
        aria-label={t('Time zone')}
        data={options}
        value={zone}
        searchable
        allowDeselect={false}
        nothingFoundMessage={t('Nothing found')}
        maxDropdownHeight="16rem"
        onChange={(value) => value !== null && onChange(value)}
      />
    </Section>
  );
}

/** Describe the effects of deleting the schedule, in a sentence or two. */
async function describeDeletion(productId: number): Promise<string> {
  const change = { schedule: null };
  return [
    t('Without it, messages can be sent at any time, day or night.'),
    ...(await previewEffects(productId, change)).map(({ text }) => `${text}.`),
  ].join(' ');
}
