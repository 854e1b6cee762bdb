/** Asks before an experiment starts: what will happen, and which of the next leads would get what. */
import { Button, Group, Loader, Modal, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { PlainText } from '../../../ui/PlainText.tsx';
import { ALWAYS_REFETCH, useEndpoint } from '../../../ui/query.ts';
import { toast } from '../../../ui/toast.ts';
import { type Experiment, type ExperimentRehearsal, rehearseExperiment } from '../../experimentContract.ts';
import { formatRate } from '../shared/RateText.tsx';
import classes from './experiments.module.css';
import { useExperimentActions } from './useExperimentActions.ts';

interface StartDialogProps {
  experiment: Experiment;
  /** How long it takes, in a sentence; null: unknown. */
  duration: string | null;
  onClose: () => void;
}

export function StartDialog({ experiment, duration, onClose }: StartDialogProps) {
  const { start } = useExperimentActions(experiment);
  const rehearsal = useEndpoint(rehearseExperiment, { params: { id: experiment.id } }, ALWAYS_REFETCH);
  const starting = useMutation({
    mutationFn: start,
    onSuccess: () => {
      toast.success(t('{{name}} is running', { name: experiment.name }));
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t('Start “{{name}}”?', { name: experiment.name })}
      closeButtonProps={{ 'aria-label': t('Close') }}
    >
      <Stack gap="md">
        <Stack gap={4}>
          <Text size="sm">{whatHappens(experiment)}</Text>
          {duration !== null && <Text size="sm">{duration}</Text>}
          <Text size="sm" c="dimmed">
            {t(
              'The contents of the arms are copied now: what you edit later changes no arm. It can be stopped at any time.',
            )}
          </Text>
        </Stack>
        {rehearsal.error && <Failure error={rehearsal.error} onRetry={() => rehearsal.refetch()} />}
        {rehearsal.data ? <Rehearsal rehearsal={rehearsal.data} /> : !rehearsal.error && <Loader size="sm" />}
        {starting.error && <Failure error={starting.error} />}
        <Group justify="flex-end">
          <Button variant="default" disabled={starting.isPending} onClick={onClose} data-autofocus>
            {t('Cancel')}
          </Button>
          <Button loading={starting.isPending} disabled={!rehearsal.data} onClick={() => starting.mutate()}>
            {t('Start')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function whatHappens({ arms, part, per_arm }: Experiment): string {
  const weights = arms.reduce((sum, { weight }) => sum + weight, 0);
  const split = arms.map(({ name, weight }) => `${name} ${formatRate(weight / weights)}`).join(', ');
  return part === 1
    ? t('From now on all new leads are split: {{split}}. The plan is {{count, number}} attempts per arm.', {
        split,
        count: per_arm,
      })
    : t(
        'From now on {{part}} of the new leads take part and are split: {{split}}. The plan is {{count, number}} attempts per arm.',
        { part: formatRate(part), split, count: per_arm },
      );
}

/** How many of the next leads are in each arm, with an example, and who they are. */
function Rehearsal({ rehearsal: { leads, outside, arms, items } }: { rehearsal: ExperimentRehearsal }) {
  if (leads === 0) return <Text size="sm">{t('No new leads are waiting now.')}</Text>;
  const nameOf = (arm: number | null) => arms.find((one) => one.arm === arm)?.name ?? t('Not in the experiment');
  return (
    <Stack gap="sm" component="section" aria-label={t('Rehearsal')}>
      <Text size="sm" fw={600}>
        {t('Of the next {{count}} leads', { count: leads, defaultValue_one: 'Of the next lead' })}
        {outside > 0 && t(', {{count}} would not take part', { count: outside })}
      </Text>
      {arms.map(({ arm, name, leads: count, example }) => (
        <div key={arm}>
          <Text size="sm">
            <b>{name}</b> · {t('{{count}} leads', { count, defaultValue_one: '{{count}} lead' })}
            {example && (
              <Text span inherit c="dimmed">
                {' '}
                · {t('for {{name}}:', { name: example.lead_name })}
              </Text>
            )}
          </Text>
          {example && (
            <section className={classes.example} aria-label={t('Example of {{name}}', { name })} tabIndex={0}>
              <PlainText text={example.text} />
            </section>
          )}
        </div>
      ))}
      <section className={classes.leads} aria-label={t('Next leads')} tabIndex={0}>
        <Table horizontalSpacing="xs" verticalSpacing={4}>
          <Table.Tbody>
            {items.map(({ lead_id, lead_name, arm }) => (
              <Table.Tr key={lead_id}>
                <Table.Td>
                  <PageLink to="lead-detail" params={{ leadId: lead_id }}>
                    {lead_name}
                  </PageLink>
                </Table.Td>
                <Table.Td>{nameOf(arm)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </Stack>
  );
}
