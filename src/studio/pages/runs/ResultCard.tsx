/** One result: the conversation, the live answers and the new ones side by side, and what was found. */
import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { t } from '../../../ui/i18n.ts';
import { PageLink } from '../../../ui/PageLink.tsx';
import { PlainText } from '../../../ui/PlainText.tsx';
import type { RunKind, StudioOutput, StudioResult } from '../../runContract.ts';
import { changeLabel, formatShare, handOverLabel, noWorseLabel, resultLabel } from '../labels.ts';
import { CaseButtons } from '../shared/CaseButtons.tsx';
import { ConversationLines } from '../shared/ConversationLines.tsx';
import classes from '../studio.module.css';

const Diff = lazy(() => import('../../../ui/Diff.tsx'));

/** Messages before an answer, unless the whole conversation is opened. */
const SHORT_HISTORY = 2;

export function ResultCard({ result, kind }: { result: StudioResult; kind: RunKind }) {
  const { subject, history, change, state, judged, diverged } = result;
  const [isWhole, setWhole] = useState(false);
  const [isCompared, setCompared] = useState(false);
  const visible = isWhole ? history : history.slice(-SHORT_HISTORY);
  const live = firstText(result.live);
  const candidate = firstText(result.candidate);
  const fails = result.candidate.some(({ violations }) => violations.length > 0);
  const label = state === 'green' && fails ? noWorseLabel() : resultLabel(state);
  return (
    <Paper withBorder p="sm" component="article" aria-label={subject.name}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Text size="sm" fw={600}>
              <SubjectName subject={subject} />
            </Text>
            <Badge color={label.tone}>{label.label}</Badge>
            {judged !== null && <Badge color="gray">{judgedLabel(judged)}</Badge>}
          </Group>
          {change !== null && change.score > 0 && (
            <Text size="xs" c="dimmed">
              {t('Change {{score}}, noise {{noise}}', {
                score: formatShare(change.score),
                noise: formatShare(change.noise),
              })}
            </Text>
          )}
        </Group>
        {diverged && (
          <Text size="sm" c="dimmed">
            {t('From here the lead answered something else: an earlier answer of this dialogue has changed.')}
          </Text>
        )}
        {change !== null && change.facts.length > 0 && (
          <ul className={classes.facts}>
            {change.facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
        )}
        {change !== null && change.kinds.length > 0 && change.facts.length === 0 && (
          <Text size="sm">{change.kinds.map(changeLabel).join(', ')}</Text>
        )}
        <ConversationLines lines={visible} label={t('Conversation')} />
        {history.length > visible.length && (
          <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)} style={{ alignSelf: 'start' }}>
            {t('Show all {{count}} messages', { count: history.length })}
          </Button>
        )}
        {kind !== 'simulation' && (
          <div className={classes.sides}>
            <Answers title={t('Live')} samples={result.live} real={result.real} source={result.real_source} />
            <Answers title={t('New text')} samples={result.candidate} real={null} source={result.real_source} />
          </div>
        )}
        {kind === 'simulation' && <Findings result={result} />}
        <Group gap="xs">
          {live !== null && candidate !== null && live !== candidate && (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => setCompared(!isCompared)}
              aria-expanded={isCompared}
            >
              {isCompared ? t('Hide differences') : t('Show differences')}
            </Button>
          )}
          {subject.message_id !== null && kind === 'replay' && <CaseButtons messageId={subject.message_id} />}
        </Group>
        {isCompared && (
          <Suspense>
            <Diff before={live ?? ''} after={candidate ?? ''} />
          </Suspense>
        )}
      </Stack>
    </Paper>
  );
}

function SubjectName({ subject }: { subject: StudioResult['subject'] }) {
  const { name, case_id: caseId, dialogue_id: dialogueId, message_id: messageId } = subject;
  if (caseId !== null)
    return (
      <PageLink to="studio-case" params={{ caseId }}>
        {name}
      </PageLink>
    );
  if (dialogueId === null) return <>{name}</>;
  return (
    <PageLink to="dialogue-chat" params={{ dialogueId, messageId }}>
      {name}
    </PageLink>
  );
}

const judgedLabel = (judged: NonNullable<StudioResult['judged']>): string =>
  ({ better: t('Judge: better'), worse: t('Judge: worse'), tie: t('Judge: the same') })[judged];

type Sample = StudioResult['candidate'][number];

const firstText = (samples: readonly Sample[]): string | null =>
  samples.find(({ output }) => output !== null)?.output?.text ?? null;

/** Where a known answer is from. */
const SOURCES: Readonly<Record<StudioResult['real_source'], string>> = {
  sent: 'Really sent',
  playground: 'Said in the playground',
  operator: 'What should have been said',
};

interface AnswersProps {
  title: string;
  samples: readonly Sample[];
  real: string | null;
  source: StudioResult['real_source'];
}

/** The answers of one arm; equal ones are listed once. */
function Answers({ title, samples, real, source }: AnswersProps) {
  const groups = [
    ...Map.groupBy(samples, (sample) => JSON.stringify([sample.output, sample.error, sample.violations])),
  ];
  return (
    <section className={classes.side} aria-label={title}>
      <Text size="xs" fw={600} c="dimmed">
        {title}
      </Text>
      {real !== null && (
        <div className={classes.answer}>
          <PlainText text={real} />
          <Text size="xs" c="dimmed">
            {t(SOURCES[source])}
          </Text>
        </div>
      )}
      {groups.map(
        ([key, [sample, ...others]]) => sample && <Answer key={key} sample={sample} times={others.length + 1} />,
      )}
      {samples.length === 0 && real === null && (
        <Text size="sm" c="dimmed">
          {t('No answer')}
        </Text>
      )}
    </section>
  );
}

function Answer({ sample: { output, error, violations }, times }: { sample: Sample; times: number }) {
  return (
    <div className={classes.answer} data-red={violations.length > 0 || undefined}>
      {output !== null && <PlainText text={outputText(output)} />}
      {error !== null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
      {violations.map(({ kind, detail }) => (
        <Text key={`${kind} ${detail}`} size="xs" c="var(--mantine-color-error)">
          {detail}
        </Text>
      ))}
      {times > 1 && (
        <Text size="xs" c="dimmed">
          {t('{{count}} times', { count: times })}
        </Text>
      )}
    </div>
  );
}

function outputText({ text, hand_over: reason, stage, stop_writing: stops }: StudioOutput): string {
  const handOver = reason === null ? null : t('Hands over: the lead {{reason}}.', { reason: handOverLabel(reason) });
  const stop = stops ? t('Stops writing: the lead wants no more messages.') : null;
  return [stage, text === '' ? null : text, handOver, stop].filter((part) => part !== null).join('\n');
}

/** What was found in the talks of a simulated lead. */
function Findings({ result }: { result: StudioResult }) {
  const found = [...new Set(result.candidate.flatMap(({ violations }) => violations.map(({ detail }) => detail)))];
  if (found.length === 0) return null;
  return (
    <ul className={classes.facts}>
      {found.map((detail) => (
        <li key={detail}>{detail}</li>
      ))}
    </ul>
  );
}
