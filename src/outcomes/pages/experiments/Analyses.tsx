/** The planned analyses of an experiment: those that were done, the next one, and the rest. */
import { Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { formatNumber } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { Section } from '../../../ui/Section.tsx';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import type { ExperimentAnalysis, ExperimentResults } from '../../experimentContract.ts';
import { formatRate } from '../shared/RateText.tsx';
import { asLine } from './experimentLabels.ts';
import classes from './experiments.module.css';

export function Analyses({ results }: { results: ExperimentResults }) {
  const { experiment, history, analysis: last, until_next: untilNext } = results;
  const { analyses, per_arm: perArm, state } = experiment;
  const names = experiment.arms.map(({ name }) => name);
  return (
    <Section title={t('Analyses')}>
      <ol className={classes.analyses}>
        {Array.from({ length: analyses }, (_none, index) => index + 1).map((number) => {
          const done = history.find((one) => one.analysis === number);
          const isNext = done === undefined && number === last + 1 && state === 'running';
          return (
            <li
              key={number}
              className={classes.analysis}
              data-state={done ? 'done' : isNext ? 'next' : 'open'}
              {...(isNext ? { 'aria-current': 'step' as const } : {})}
            >
              <span className={classes.number} aria-hidden>
                {done ? <IconCheck size="1rem" /> : number}
              </span>
              <div className={classes.finding}>
                <Text size="sm" fw={500}>
                  {t('Analysis {{number}} · {{count, number}} attempts per arm', {
                    number,
                    count: (number * perArm) / analyses,
                    defaultValue_one: 'Analysis {{number}} · {{count, number}} attempt per arm',
                  })}
                </Text>
                <Text size="sm" c="dimmed" component="div">
                  {done ? (
                    <Done analysis={done} names={names} />
                  ) : isNext && untilNext !== null ? (
                    t('Next: about {{count, number}} more attempts', { count: untilNext })
                  ) : number < last ? (
                    t('Skipped: the next one was reached at the same time')
                  ) : state === 'running' ? (
                    t('Later')
                  ) : (
                    t('Not done')
                  )}
                </Text>
              </div>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}

function Done({ analysis: { at, arms, sentence }, names }: { analysis: ExperimentAnalysis; names: readonly string[] }) {
  const counts = arms.map(({ n, successes }, index) => {
    const rate = n === 0 ? '–' : formatRate(successes / n);
    return `${names[index] ?? ''} ${formatNumber(successes)} / ${formatNumber(n)} (${rate})`;
  });
  return (
    <>
      {asLine(sentence)} · {counts.join(' · ')} · <Timestamp iso={at} />
    </>
  );
}
