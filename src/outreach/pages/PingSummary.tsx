import { Badge, Stack, Text } from '@mantine/core';
import { formatMinutes } from '../../ui/duration.ts';
import { t } from '../../ui/i18n.ts';
import { Section } from '../../ui/Section.tsx';
import { cumulativeMinutes, MIN_GAP_MINUTES, type StepDraft } from '../sequence.ts';
import classes from './settings.module.css';
import { findStepText, type StepTexts, selectedTextId } from './stepTexts.ts';
import type { PingDraft, PingState } from './usePings.ts';

const TONES: Readonly<Record<PingState, string>> = { creating: 'accent', changed: 'yellow', saved: 'green' };

function PingBadge({ state }: { state: PingState }) {
  return (
    <Badge color={TONES[state]} role="status">
      {stateLabel(state)}
    </Badge>
  );
}

function stateLabel(state: PingState): string {
  switch (state) {
    case 'creating':
      return t('Creating new ping configuration');
    case 'changed':
      return t('Has unsaved changes');
    case 'saved':
      return t('Saved');
    default:
      return state satisfies never;
  }
}

/** Format the length of a sequence: `3 messages within 2 d 4 h`. */
export function lengthInWords(steps: readonly StepDraft[]): string {
  const within = formatMinutes(cumulativeMinutes(steps).at(-1) ?? 0);
  return t('{{count}} messages within {{within}}', {
    count: steps.length,
    within,
    defaultValue_one: '{{count}} message within {{within}}',
  });
}

interface PingSummaryProps {
  state: PingState;
  draft: PingDraft;
  texts: StepTexts;
}

/** Describe the sequence in words. */
export function PingSummary({ state, draft, texts }: PingSummaryProps) {
  const { steps } = draft;
  const times = cumulativeMinutes(steps);
  return (
    <Section title={t('Summary')} actions={<PingBadge state={state} />}>
      <Stack gap="sm">
        <Text size="sm">
          {draft.is_enabled
            ? t('{{length}} to a lead who does not reply.', { length: lengthInWords(steps) })
            : t('Follow-ups are off: none of this is sent.')}
        </Text>
        <ol className={classes.timeline}>
          {steps.map((step, index) => (
            <li key={step.key}>
              <Text span size="sm" c="dimmed">
                {index + 1}.
              </Text>
              <Text span size="sm" fw={500}>
                {formatMinutes(times[index] ?? 0)}
              </Text>
              <Text span size="sm" truncate>
                {describeStep(texts, step)}
              </Text>
            </li>
          ))}
        </ol>
        <Text size="sm" c="dimmed">
          {t(
            'Step 1 counts from the lead’s last message, each later step from the step before. If our answer was sent late, step 1 still waits at least {{minutes}} minutes after it. A reply stops the sequence; it restarts after our next message.',
            { minutes: MIN_GAP_MINUTES },
          )}{' '}
          {draft.use_on_no_init_msg_reply
            ? t('For leads who never wrote, step 1 counts from when the dialogue was created.')
            : t('Leads who never wrote get none.')}{' '}
          {t('Outside working hours, a step waits until they start.')}
        </Text>
      </Stack>
    </Section>
  );
}

function describeStep(texts: StepTexts, step: StepDraft): string {
  const id = selectedTextId(step);
  if (id === null) return step.source === 'prompt' ? t('AI prompt not chosen') : t('Prepared message not chosen');
  const name = findStepText(texts, step)?.name ?? `#${id}`;
  return step.source === 'prompt' ? t('AI prompt “{{name}}”', { name }) : t('Prepared message “{{name}}”', { name });
}
