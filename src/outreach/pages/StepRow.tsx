import { ActionIcon, Autocomplete, Button, SegmentedControl, Select, Text, Tooltip } from '@mantine/core';
import { IconFileText, IconTrash } from '@tabler/icons-react';
import { memo, useState } from 'react';
import type { StepOutcome } from '../../outcomes/outcomeContract.ts';
import { AttemptsLink, RateText } from '../../outcomes/pages/shared/RateText.tsx';
import { RESULT_DAYS } from '../../outcomes/pages/shared/results.ts';
import { LeadPreviews } from '../../prompts/pages/shared/LeadPreviews.tsx';
import { useLiveText } from '../../prompts/pages/shared/liveState.tsx';
import { PreparedButtons } from '../../prompts/pages/shared/PreparedButtons.tsx';
import { DurationField } from '../../ui/DurationField.tsx';
import { formatMinutes } from '../../ui/duration.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { type StepDraft, type StepFault, type StepSource, setSource } from '../sequence.ts';
import classes from './settings.module.css';
import { findStepText, type StepTexts, selectedTextId } from './stepTexts.ts';
import type { StepChange, StepOnPage } from './usePings.ts';

/** Largest number of minutes that the API accepts. */
const MAX_MINUTES = 2 ** 31 - 1;

interface StepRowProps {
  productId: number;
  number: number;
  step: StepOnPage;
  /** Minutes since the start of the sequence. */
  totalMinutes: number;
  /** What the step has achieved; undefined if nothing is known, or if it is another text on the server. */
  result: StepOutcome | undefined;
  texts: StepTexts;
  /** Faults to show. */
  faults: readonly StepFault[];
  /** Why the step cannot be removed; null if it can. */
  removeDisabledReason: string | null;
  onChange: (key: number, change: StepChange) => void;
  onLeave: (key: number, field: StepFault['field']) => void;
  onRemove: () => void;
}

/** Edit one step: its delay and its text. */
export function StepRow(props: StepRowProps) {
  const { productId, number, step, totalMinutes, result, texts, faults, removeDisabledReason } = props;
  const { onChange, onLeave, onRemove } = props;
  const fault = (field: StepFault['field']) => faults.find((one) => one.field === field)?.sentence ?? null;
  return (
    <li className={classes.step} aria-label={t('Step {{number}}', { number })}>
      <span className={classes.number} aria-hidden>
        {number}
      </span>
      <div>
        <Text size="sm">
          {t('Step {{number}}', { number })}
          <Text span inherit c="dimmed">
            {' '}
            · {describeTiming(number, step, totalMinutes)}
          </Text>
        </Text>
        {result && <StepFigures result={result} />}
      </div>
      <StepFields
        productId={productId}
        number={number}
        step={step}
        texts={texts}
        minutesFault={fault('after_minutes')}
        sourceFault={fault('source')}
        onChange={onChange}
        onLeave={onLeave}
      />
      <Tooltip label={removeDisabledReason ?? t('Remove step {{number}}', { number })}>
        <ActionIcon
          className={classes.take}
          variant="subtle"
          color={removeDisabledReason === null ? 'red' : 'gray'}
          // Stays focusable, so that the reason can be read with the keyboard.
          data-disabled={removeDisabledReason !== null}
          aria-disabled={removeDisabledReason !== null}
          aria-label={removeDisabledReason === null ? t('Remove step {{number}}', { number }) : removeDisabledReason}
          onClick={() => removeDisabledReason === null && onRemove()}
        >
          <IconTrash size="1rem" />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}

/** Show how often the step was sent in the last 90 days, and what came of it. */
function StepFigures({
  result: { sent, answered, opted_out, rates, too_few: tooFew, filter },
}: {
  result: StepOutcome;
}) {
  const step = filter.step ?? [];
  const base = { of: sent, tooFew };
  return (
    <Text size="xs" c="dimmed">
      {t('Last {{days}} days', { days: RESULT_DAYS })}: {t('sent')} <AttemptsLink inText count={sent} filter={filter} />{' '}
      · {t('answered before the next')}{' '}
      <RateText
        inText
        rate={{ ...rates.answered, ...base, count: answered, filter: { ...filter, step_answered: step } }}
      />{' '}
      · {t('opted out')}{' '}
      <RateText
        inText
        rate={{ ...rates.opted_out, ...base, count: opted_out, filter: { ...filter, step_opted_out: step } }}
      />
    </Text>
  );
}

interface StepFieldsProps
  extends Pick<StepRowProps, 'productId' | 'number' | 'step' | 'texts' | 'onChange' | 'onLeave'> {
  minutesFault: string | null;
  sourceFault: string | null;
}

/**
 * Memoised so that it renders only with its own step: rendering fifty of them at each key press took 200 ms (2026-11,
 * two busy cores).
 */
const StepFields = memo(function StepFields(props: StepFieldsProps) {
  const { productId, number, step, texts, minutesFault, sourceFault, onChange, onLeave } = props;
  const { key } = step;
  const change = (next: Partial<StepDraft>) => onChange(key, (previous) => ({ ...previous, ...next }));
  return (
    <>
      <div className={classes.fields}>
        <DurationField
          className={classes.minutes}
          data-minutes={key}
          label={t('After')}
          min={1}
          maxMinutes={MAX_MINUTES}
          minutes={step.after_minutes}
          error={minutesFault === null ? null : t(minutesFault)}
          onMinutes={(minutes) => change({ after_minutes: minutes })}
          onBlur={() => onLeave(key, 'after_minutes')}
        />
        <SegmentedControl
          className={classes.source}
          aria-label={t('Source of step {{number}}', { number })}
          value={step.source}
          onChange={(value) => onChange(key, (previous) => setSource(previous, parseSource(value)))}
          data={[
            { value: 'prepared_message', label: t('Prepared message') },
            { value: 'prompt', label: t('AI prompt') },
          ]}
        />
        <TextSelect
          productId={productId}
          number={number}
          step={step}
          texts={texts}
          error={sourceFault === null ? null : t(sourceFault)}
          onChange={change}
          onLeave={() => onLeave(key, 'source')}
        />
      </div>
      {step.source === 'prompt' && (
        <Autocomplete
          className={classes.document}
          size="xs"
          aria-label={t('Document type of step {{number}}', { number })}
          placeholder={t('Document type')}
          leftSection={<IconFileText size="0.9rem" aria-hidden />}
          data={[...texts.documentTypes]}
          maxLength={100}
          value={step.document_type ?? ''}
          onChange={(value) => change({ document_type: value === '' ? null : value })}
        />
      )}
    </>
  );
});

interface TextSelectProps {
  productId: number;
  number: number;
  step: StepOnPage;
  texts: StepTexts;
  error: string | null;
  onChange: (next: Partial<StepDraft>) => void;
  onLeave: () => void;
}

function TextSelect({ productId, number, step, texts, error, onChange, onLeave }: TextSelectProps) {
  const { rows, failed, retry } = texts[step.source];
  const id = selectedTextId(step);
  const text = findStepText(texts, step);
  const liveText = useLiveText(text?.prompt ?? null);
  const sent = text?.prompt ? liveText : text?.text;
  const options = (rows ?? []).map((one) => ({ value: String(one.id), label: one.name }));
  // A text of another type, or one that cannot be read, is shown by its id.
  const missing = id !== null && rows !== undefined && !rows.some((one) => one.id === id);
  const isPrompt = step.source === 'prompt';
  const fault = missing && !isPrompt ? t('This prepared message is not for follow-ups. Choose one that is.') : null;
  return (
    <div className={classes.choice}>
      <Select
        label={isPrompt ? t('AI prompt') : t('Prepared message')}
        placeholder={isPrompt ? t('Choose a prompt') : t('Choose a message')}
        data={missing ? [{ value: String(id), label: `#${id}` }, ...options] : options}
        value={id === null || rows === undefined ? null : String(id)}
        searchable
        // An error focuses this field; an open list would cover its sentence.
        openOnFocus={false}
        allowDeselect={false}
        nothingFoundMessage={nothingFound(failed, rows === undefined)}
        maxDropdownHeight="16rem"
        error={error ?? fault}
        onBlur={onLeave}
        onChange={(value) => {
          const chosen = value === null ? null : Number(value);
          onChange(isPrompt ? { prompt_id: chosen } : { prepared_message_id: chosen });
        }}
      />
      {failed && (
        <Button mt="xs" size="compact-xs" variant="default" onClick={retry}>
          {t('Retry')}
        </Button>
      )}
      <Text size="xs" c="dimmed" mt="0.25rem" className={classes.excerpt}>
        {rows?.length === 0 && isPrompt ? <CreatePromptLink /> : sent}
      </Text>
      {(!isPrompt || id === null) && (
        <PreparedButtons
          productId={productId}
          type="ping"
          chosen={isPrompt ? null : step.prepared_message_id}
          name={t('Follow-up {{number}}', { number })}
          onChoose={(chosen) => onChange({ ...setSource(step, 'prepared_message'), prepared_message_id: chosen })}
        />
      )}
      {id !== null && !isPrompt && (
        <Text size="xs" mt="0.25rem">
          <PageLink
            to="prepared-message-detail"
            params={{ messageId: id, messageName: text?.name, source: 'settings-ping' }}
          >
            {t('Open the prepared message')}
          </PageLink>
        </Text>
      )}
      {sent !== undefined && <StepPreview productId={productId} text={sent} kind={isPrompt ? 'prompt' : 'message'} />}
    </div>
  );
}

function StepPreview(props: { productId: number; text: string; kind: 'prompt' | 'message' }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="compact-xs" variant="subtle" mt="xs" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t('Hide preview') : t('Preview')}
      </Button>
      {open && <LeadPreviews {...props} />}
    </>
  );
}

/** Link to the page where prompts for steps are created. */
function CreatePromptLink() {
  return <PageLink to="prompts">{t('Create a ping prompt')}</PageLink>;
}

function describeTiming(number: number, step: StepOnPage, totalMinutes: number): string {
  const after = formatMinutes(step.after_minutes ?? 0);
  if (number === 1) return t('{{after}} after the lead’s last message', { after });
  return t('{{after}} later, {{total}} in total', { after, total: formatMinutes(totalMinutes) });
}

function nothingFound(failed: boolean, loading: boolean): string {
  if (failed) return t('Could not be loaded');
  return loading ? t('Loading…') : t('Nothing found');
}

const parseSource = (value: string): StepSource => (value === 'prompt' ? 'prompt' : 'prepared_message');
