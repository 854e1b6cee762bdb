import { expect, it } from 'vitest';
import { ownerLabelInList } from './owner.tsx';

const answering = {
  owner: 'bot',
  owner_reason: null,
  owner_reason_code: null,
  no_answer: null,
  lead_stage: 'ongoing',
  lead_is_active: true,
} as const;

it.each([
  [answering, 'Bot is answering'],
  [{ ...answering, lead_is_active: false }, 'Bot is off'],
  [{ ...answering, lead_stage: 'refused' }, 'Bot is off'],
  [{ ...answering, lead_stage: 'success' }, 'Bot is answering'],
  [{ ...answering, no_answer: 'No answer: The reply was empty' }, 'Bot has not answered'],
  [{ ...answering, no_answer: 'No answer: The reply was empty', lead_is_active: false }, 'Bot is off'],
  [
    { ...answering, owner: 'human', owner_reason: 'olga', owner_reason_code: 'operator', lead_is_active: false },
    'olga is replying',
  ],
  [{ ...answering, owner: 'human', owner_reason: 'phone', owner_reason_code: 'phone' }, 'Human'],
  [
    { ...answering, owner: 'human', owner_reason: 'Moved to "Calls" in amoCRM', owner_reason_code: 'crm_step' },
    'Human',
  ],
] as const)('%j: %s', (dialogue, text) => expect(ownerLabelInList(dialogue)).toBe(text));
