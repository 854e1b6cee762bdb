import { expect, it } from 'vitest';
import { ownerLabelInList } from './owner.tsx';

const answering = { owner: 'bot', owner_reason: null, lead_stage: 'ongoing', lead_is_active: true } as const;

it.each([
  [answering, 'Bot is answering'],
  [{ ...answering, lead_is_active: false }, 'Bot is off'],
  [{ ...answering, lead_stage: 'refused' }, 'Bot is off'],
  [{ ...answering, lead_stage: 'success' }, 'Bot is answering'],
  [{ ...answering, owner: 'human', owner_reason: 'olga', lead_is_active: false }, 'olga is replying'],
  [{ ...answering, owner: 'human', owner_reason: 'phone' }, 'Human'],
] as const)('%j: %s', (dialogue, text) => expect(ownerLabelInList(dialogue)).toBe(text));
