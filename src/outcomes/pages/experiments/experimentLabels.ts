/** Words for experiments: kinds, states, metrics, and what an arm uses. */
import { llmVendorNames } from '../../../products/contract.ts';
import type { Option } from '../../../ui/form.ts';
import { t } from '../../../ui/i18n.ts';
import type { Tone } from '../../../ui/theme.ts';
import { type ArmState, type Experiment, experimentMetrics, experimentStates } from '../../experimentContract.ts';

type Kind = Experiment['kind'];
type Metric = Experiment['metric'];
type State = Experiment['state'];

const KINDS: Readonly<Record<Kind, string>> = {
  first_text: 'First text',
  prompt: 'Chatbot prompt',
  model: 'Chatbot model',
};
const METRICS: Readonly<Record<Metric, string>> = {
  answered: 'Answered',
  qualified: 'Qualified',
  success: 'Success',
};
const STATES: Readonly<Record<State, { readonly label: string; readonly tone: Tone }>> = {
  draft: { label: 'Draft', tone: 'gray' },
  running: { label: 'Running', tone: 'green' },
  stopped: { label: 'Stopped', tone: 'accent' },
};

export const kindLabel = (kind: Kind): string => t(KINDS[kind]);
export const metricLabel = (metric: Metric): string => t(METRICS[metric]);
export const stateOf = (state: State) => ({ label: t(STATES[state].label), tone: STATES[state].tone });

export const kindOptions = (): { value: Kind; label: string }[] =>
  (Object.keys(KINDS) as Kind[]).map((value) => ({ value, label: kindLabel(value) }));

export const stateOptions = (): Option[] => experimentStates.map((value) => ({ value, label: stateOf(value).label }));

/** Set a sentence of the server on a line of its own: it begins with a capital letter, and no line breaks before %. */
export const asLine = (sentence: string): string =>
  sentence.charAt(0).toUpperCase() + sentence.slice(1).replaceAll(' %', '\u00a0%');

/** The metrics of a kind: prompts and models are only asked after the lead has written. */
export const metricOptions = (kind: Kind): Option[] =>
  experimentMetrics
    .filter((metric) => kind === 'first_text' || metric !== 'answered')
    .map((value) => ({ value, label: metricLabel(value) }));

/** Name what an arm uses since the start: `Prompt “Kitchen consultant”, version 5`. */
export function contentLabel(content: ArmState['content']): string {
  switch (content.kind) {
    case 'text':
      return t('Message');
    case 'document':
      return t('Document prompt “{{name}}”', { name: content.name });
    case 'prompt':
      return t('Prompt “{{name}}”, version {{version}}', { name: content.name, version: content.prompt_version });
    case 'model':
      return t('{{vendor}} {{model}}, temperature {{temperature}}', {
        vendor: llmVendorNames[content.vendor],
        model: content.model,
        temperature: content.temperature,
      });
    default:
      return content satisfies never;
  }
}

/** Say what becomes of the product when an arm is applied. */
export function applyConsequence(content: ArmState['content'], name: string): string {
  switch (content.kind) {
    case 'text':
      return t(
        'New leads get the first message of {{name}}. The settings of the product change, not the prepared message that it uses now.',
        { name },
      );
    case 'document':
      return t(
        'A model writes the first messages with the document prompt “{{document}}”: the settings of the product change.',
        { document: content.name },
      );
    case 'prompt':
      return t(
        'The text of “{{prompt}}”, version {{version}}, is saved as a new version of the prompt in use. The bot answers with it from then on.',
        {
          prompt: content.name,
          version: content.prompt_version,
        },
      );
    case 'model':
      return t('The bot answers with {{model}} from then on: the settings of the product change.', {
        model: contentLabel(content),
      });
    default:
      return content satisfies never;
  }
}
