/** When messages of the chosen product may go out. */
import { Badge, Button, Select, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { DeleteDialog } from '../../kit/DeleteDialog.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { Notice } from '../../kit/Notice.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { PageWaiting } from '../../kit/PageWaiting.tsx';
import { usePageContext } from '../../kit/pageContext.ts';
import { SaveButtons } from '../../kit/SaveButtons.tsx';
import { Section } from '../../kit/Section.tsx';
import { useScope } from '../../kit/scope.ts';
import { ClockIn } from '../../kit/TwoClocks.tsx';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { zoneOptions } from '../../kit/zones.ts';
import { scheduleOfProduct } from '../contract.ts';
import type { DayKey } from '../schedule.ts';
import { Consequences, effectsOfChange } from './consequences.tsx';
import { DayRows } from './DayRows.tsx';
import { focusFirstFault } from './focusFirstFault.ts';
import { useOfProduct } from './ofProduct.ts';
import { ScheduleSummary } from './ScheduleSummary.tsx';
import { scheduleContext } from './scheduleContext.ts';
import classes from './settings.module.css';
import { type Schedule, useSchedule } from './useSchedule.ts';

export default function ScheduleSettingsPage() {
  const { product } = useScope();
  const productId = product?.id ?? 0;
  const found = useOfProduct(scheduleOfProduct, productId);
  if (found.data !== undefined) return <Editing key={productId} productId={productId} found={found.data} />;
  return (
    <PageWaiting
      title={t('Schedule Settings')}
      entity={t('schedule')}
      description={t('When messages of the chosen product may go out.')}
      error={found.error}
      onRetry={() => void found.refetch()}
    />
  );
}

function Editing({ productId, found }: { productId: number; found: Schedule | null }) {
  const schedule = useSchedule(productId, found);
  const { stored, draft, state, changed, faults, saving, guard } = schedule;
  const [left, setLeft] = useState<ReadonlySet<DayKey>>(new Set());
  const [deleting, setDeleting] = useState(false);
  const forget = () => setLeft(new Set());

  const save = async (): Promise<boolean> => {
    if (draft === null) return false;
    if (faults.length > 0) {
      setLeft(new Set(faults.map(({ key }) => key)));
      focusFirstFault();
      return false;
    }
    const done = await schedule.store(draft);
    if (done) forget();
    return done;
  };
  const reset = () => {
    schedule.restore();
    forget();
    if (stored !== null) toast.info(t('Configuration reset to saved values.'));
  };
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
                {t('Messages can go out at any time, at night too.')}
              </Text>
              <Button mt="xs" leftSection={<IconPlus size="1rem" />} onClick={schedule.begin}>
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
          <DayRows
            days={draft.days}
            faults={faults.filter(({ key }) => left.has(key))}
            onChange={(days) => schedule.edit({ days })}
            onLeave={(key) => setLeft((former) => new Set(former).add(key))}
          />
          <Stack gap="md">
            <Timezone zone={draft.timezone} onChange={(timezone) => schedule.edit({ timezone })} />
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
          alongside={() => withoutSchedule(productId)}
          onDone={forget}
          onClose={() => setDeleting(false)}
        />
      )}
      {guard.question}
    </PageFrame>
  );
}

function Timezone({ zone, onChange }: { zone: string; onChange: (zone: string) => void }) {
  const options = useMemo(() => zoneOptions(zone), [zone]);
  return (
    <Section
      title={t('Timezone')}
      actions={
        <Text size="sm" c="dimmed">
          <ClockIn zone={zone} />
        </Text>
      }
    >
      <Select
        label={t('Hours are on the clock of')}
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

/** What goes with the schedule, in a sentence or two. */
async function withoutSchedule(productId: number): Promise<string> {
  const change = { schedule: null };
  return [
    t('Without it messages can go out at any time, at night too.'),
    ...(await effectsOfChange(productId, change)).map(({ text }) => `${text}.`),
  ].join(' ');
}
