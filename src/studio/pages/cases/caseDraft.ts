/** The draft of a test case on the page, and its conversion to and from the contract's form. */
import { z } from 'zod';
import type { BodyInput } from '../../../platform/contract.ts';
import { violationsOf } from '../../../platform/validationMessages.ts';
import type { DocumentField } from '../../../ui/documentField.ts';
import { t } from '../../../ui/i18n.ts';
import { plainDraftCodec } from '../../../ui/useDraft.tsx';
import {
  type Requirement,
  type RequirementKind,
  requirement,
  type StudioCase,
  studioCases,
} from '../../caseContract.ts';
import { requirementText } from '../labels.ts';

const message = z.object({ side: z.enum(['user', 'bot']), text: z.string(), kind: z.string() });

const caseDraft = z.object({
  name: z.string(),
  prompt_id: z.number().nullable(),
  prompt_type: z.enum(['prompt', 'classification']),
  history: z.array(message),
  lead_name: z.string(),
  /** What is typed may not be valid yet. */
  requirements: z.array(z.looseObject({ kind: z.string() })),
  rubric: z.string(),
  is_enabled: z.boolean(),
});
export type CaseDraft = z.output<typeof caseDraft>;

export const DRAFT = plainDraftCodec<CaseDraft>(caseDraft);

export function draftOf(stored: StudioCase | null, promptId: number | null): CaseDraft {
  if (stored === null)
    return {
      name: '',
      prompt_id: promptId,
      prompt_type: 'prompt',
      history: [{ side: 'user', text: '', kind: 'text' }],
      lead_name: t('Anna Example'),
      requirements: [],
      rubric: '',
      is_enabled: true,
    };
  const { name, prompt_id, prompt_type, history, facts, requirements, rubric, is_enabled } = stored;
  return {
    name,
    prompt_id,
    prompt_type: prompt_type === 'classification' ? 'classification' : 'prompt',
    history,
    lead_name: facts.lead.name,
    requirements,
    rubric: rubric ?? '',
    is_enabled,
  };
}

/** The contract's body; facts that the page does not edit stay as they are stored. */
export function bodyOf(
  draft: CaseDraft,
  { stored, productId, now }: { stored: StudioCase | null; productId: number; now: string },
) {
  const { lead_name: leadName, rubric, requirements, ...fields } = draft;
  const facts = stored?.facts ?? {
    lead: { name: leadName },
    contact: { contact: '79991234567', type: 'whatsapp' as const },
    now,
  };
  return {
    ...fields,
    product_id: productId,
    facts: { ...facts, lead: { ...facts.lead, name: leadName } },
    requirements,
    rubric: rubric.trim() === '' ? null : rubric,
  };
}

/** Return the fault of each field, by its path: `requirements.0.text`. */
export function faultsOf(body: unknown): ReadonlyMap<string, string> {
  const parsed = studioCases.update.safeParse(body);
  if (parsed.success) return new Map();
  return new Map(violationsOf(parsed.error).map(({ path, message: fault }) => [path.join('.'), fault]));
}

/** Parse a body that has no fault. */
export const parsedBody = (body: unknown): BodyInput<typeof studioCases.replace> => studioCases.update.parse(body);

/** Describe a draft for the conflict dialog. */
export function describeDraft(draft: CaseDraft): DocumentField[] {
  return [
    { label: t('Name'), value: draft.name },
    {
      label: t('Conversation'),
      value: draft.history.map(({ side, text }) => `${side === 'user' ? t('Lead') : t('Bot')}: ${text}`).join('\n'),
      isText: true,
    },
    {
      label: t('An answer has to'),
      value: draft.requirements
        .map((one) => {
          const parsed = requirement.safeParse(one);
          return parsed.success ? requirementText(parsed.data) : JSON.stringify(one);
        })
        .join('\n'),
      isText: true,
    },
    { label: t('In words, for a judge'), value: draft.rubric, isText: true },
    { label: t('State'), value: draft.is_enabled ? t('On') : t('Off') },
  ];
}

/** A new requirement of a kind, to be filled in. */
export function newRequirement(kind: RequirementKind): CaseDraft['requirements'][number] {
  const empty: Readonly<Partial<Record<RequirementKind, Record<string, unknown>>>> = {
    contains: { text: '' },
    not_contains: { text: '' },
    matches: { pattern: '' },
    not_matches: { pattern: '' },
    language: { language: 'en' },
    max_length: { characters: 400 },
    max_questions: { count: 1 },
    hands_over: { reason: null },
    keeps: { text: '' },
    never: { text: '' },
    stage: { stage: 'ongoing' },
  };
  return { kind, ...empty[kind] };
}

/** The kinds of requirements that suit a type of prompt, in the order in which they are offered. */
export const kindsFor = (type: CaseDraft['prompt_type']): readonly Requirement['kind'][] =>
  type === 'classification'
    ? ['stage']
    : [
        'contains',
        'not_contains',
        'known_facts',
        'language',
        'max_length',
        'max_questions',
        'hands_over',
        'no_hand_over',
        'no_tool',
        'keeps',
        'never',
        'matches',
        'not_matches',
      ];
