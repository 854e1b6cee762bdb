/** The arms of an experiment: counts, rates with their intervals, guards, and what each arm uses. */
import { Badge, Button, Group, Paper, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { IconTrophy } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { LeadPreviews } from '../../../prompts/pages/shared/LeadPreviews.tsx';
import { formatDollars } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import { Section } from '../../../ui/Section.tsx';
import { useSidewaysShadow } from '../../../ui/sidewaysScroll.ts';
import type { Experiment, ExperimentArmResult, ExperimentResults } from '../../experimentContract.ts';
import { isTooFew, rateOf } from '../../funnel.ts';
import { AttemptsLink, RateText } from '../shared/RateText.tsx';
import table from '../shared/results.module.css';
import type { ShownRate } from '../shared/results.ts';
import { contentLabel, metricLabel } from './experimentLabels.ts';
import classes from './experiments.module.css';

interface ArmResultsProps {
  results: ExperimentResults;
  winner: number | null;
}

export function ArmResults({ results: { experiment, arms }, winner }: ArmResultsProps) {
  const frame = useRef<HTMLElement>(null);
  useSidewaysShadow(frame);
  const highest = Math.max(0.05, ...arms.filter(({ finished }) => finished > 0).map(({ interval }) => interval.high));
  return (
    <Section title={t('Arms')}>
      <section ref={frame} className={table.scroll} aria-label={t('Results by arm')} tabIndex={0}>
        <Table className={table.table} horizontalSpacing="sm">
          <caption>
            <VisuallyHidden>{t('Results by arm')}</VisuallyHidden>
          </caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('Arm')}</Table.Th>
              <Table.Th className={table.number}>{t('Attempts')}</Table.Th>
              <Table.Th className={table.number}>{t('Counted')}</Table.Th>
              <Table.Th className={table.number}>{metricLabel(experiment.metric)}</Table.Th>
              <Table.Th className={classes.plot} aria-hidden />
              <Table.Th className={table.number}>{t('Opt-outs')}</Table.Th>
              <Table.Th className={table.number}>{t('Refusals')}</Table.Th>
              <Table.Th className={table.number}>{t('Cost per attempt')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {arms.map((arm) => (
              <ArmRow key={arm.arm} arm={arm} highest={highest} isWinner={arm.arm === winner} />
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {arms.map(
        ({ arm, stopped_reason: reason }) =>
          reason !== null && (
            <Text key={arm} size="sm" c="dimmed" mt="xs">
              {reason}.
            </Text>
          ),
      )}
    </Section>
  );
}

/** A rate of an arm as the other tables show it. */
const guardRate = (count: number, of: number, filter: ShownRate['filter']): ShownRate => ({
  ...rateOf(count, of),
  count,
  of,
  tooFew: isTooFew(of),
  filter,
});

function ArmRow({ arm, highest, isWinner }: { arm: ExperimentArmResult; highest: number; isWinner: boolean }) {
  const { filters, finished, successes, rate, interval } = arm;
  const metric: ShownRate = {
    count: successes,
    of: finished,
    rate,
    ...interval,
    tooFew: isTooFew(finished),
    filter: filters.successes,
  };
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <Group gap="0 0.5rem" className={classes.arm}>
          {arm.name}
          {arm.arm === 0 && (
            <Badge color="gray" miw="max-content">
              {t('Control')}
            </Badge>
          )}
          {isWinner && (
            <Badge color="green" miw="max-content" leftSection={<IconTrophy size="0.8rem" aria-hidden />}>
              {t('Better')}
            </Badge>
          )}
          {arm.stopped_at !== null && (
            <Badge color="red" miw="max-content">
              {t('Stopped')}
            </Badge>
          )}
        </Group>
      </Table.Th>
      <Table.Td className={table.number}>
        <AttemptsLink count={arm.assigned} filter={filters.assigned} />
      </Table.Td>
      <Table.Td className={table.number}>
        <AttemptsLink count={finished} filter={filters.finished} />
      </Table.Td>
      <Table.Td className={table.number}>
        <RateText rate={metric} />
      </Table.Td>
      <Table.Td className={classes.plot} aria-hidden>
        {rate !== null && !metric.tooFew && <IntervalBar rate={rate} {...interval} highest={highest} />}
      </Table.Td>
      <Table.Td className={table.number}>
        <RateText rate={guardRate(arm.opt_outs, arm.assigned, filters.opt_outs)} />
      </Table.Td>
      <Table.Td className={table.number}>
        <RateText rate={guardRate(arm.refusals, arm.assigned, filters.refusals)} />
      </Table.Td>
      <Table.Td className={table.number}>
        {arm.cost_per_attempt === null ? '–' : formatDollars(arm.cost_per_attempt)}
      </Table.Td>
    </Table.Tr>
  );
}

/** The interval as a bar from 0 to the highest end of all arms, and the rate as a mark in it. */
function IntervalBar({ rate, low, high, highest }: { rate: number; low: number; high: number; highest: number }) {
  const at = (value: number) => `${(100 * value) / highest}%`;
  return (
    <div className={classes.track}>
      <div className={classes.interval} style={{ insetInlineStart: at(low), width: at(high - low) }} />
      <div className={classes.mark} style={{ insetInlineStart: at(rate) }} />
    </div>
  );
}

/** What each arm uses since the start. */
export function ArmContents({ experiment }: { experiment: Experiment }) {
  return (
    <Section title={t('What the arms use')}>
      <Stack gap="sm">
        {experiment.arms.map(({ name }, index) => {
          const content = experiment.arm_states[index]?.content;
          if (!content) return null;
          const text = content.kind === 'model' ? null : content.text;
          const kind = content.kind === 'text' ? 'message' : 'prompt';
          return (
            <Paper key={name} withBorder p="sm" component="section" aria-label={name}>
              <Text size="sm">
                <b>{name}</b> · {contentLabel(content)}
              </Text>
              {text !== null && <ArmText productId={experiment.product_id} name={name} text={text} kind={kind} />}
            </Paper>
          );
        })}
      </Stack>
    </Section>
  );
}

interface ArmTextProps {
  productId: number;
  name: string;
  text: string;
  kind: 'message' | 'prompt';
}

function ArmText({ productId, name, text, kind }: ArmTextProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <section className={classes.example} aria-label={t('Text of {{name}}', { name })} tabIndex={0}>
        <PlainText text={text} />
      </section>
      <Button size="compact-xs" variant="subtle" mt="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? t('Hide preview') : t('Preview for three leads')}
      </Button>
      {isOpen && <LeadPreviews productId={productId} text={text} kind={kind} />}
    </>
  );
}
