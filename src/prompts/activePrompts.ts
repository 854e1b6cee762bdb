/** Which prompt of a product is in use, and which one another would replace. */
import type { Prompt, PromptType, PromptUse } from './contract.ts';

/** Types of which a product uses one: the newest without a group. */
export const singleTypes = ['prompt', 'qualification', 'refusal_qualification'] as const satisfies PromptType[];

/** What decides which place in the product a prompt can take. */
export type PromptPlacement = Pick<Prompt, 'type' | 'group_id' | 'name'>;
/** A prompt as it is stored, for comparing its age. */
export type PromptAge = Pick<Prompt, 'id' | 'created_at'>;

/**
 * The place that one prompt of the product holds at a time: 'the product's prompt' of a type, or the subprompt of a
 * name. Null: any number of such prompts are used beside each other, by reference.
 */
export function placeOf({ type, group_id, name }: PromptPlacement): string | null {
  if (type === 'subprompt') return `subprompt ${name.trim()}`;
  return group_id === null && singleTypes.some((one) => one === type) ? type : null;
}

/** Whether `a` comes before `b` where the newest is used. The server orders by the same: created_at, then id. */
export function isNewer(a: PromptAge, b: PromptAge): boolean {
  return a.created_at === b.created_at ? a.id > b.id : a.created_at > b.created_at;
}

export interface Replacement {
  /** Used now and no longer once it is saved. */
  readonly replaced: { readonly id: number; readonly name: string } | null;
  /** Used from then on. Null: none is. `saved`: the one that is saved. */
  readonly successor: 'saved' | { readonly id: number; readonly name: string } | null;
}

/**
 * What changes hands when a prompt is saved as `next`. `before`: as it is stored; null: it is new. Null when no prompt
 * is replaced by another one.
 */
export function replacements(
  uses: readonly PromptUse[],
  before: (PromptPlacement & PromptAge) | null,
  next: PromptPlacement,
): readonly Replacement[] {
  const from = before === null ? null : placeOf(before);
  const to = placeOf(next);
  if (from === to) return [];
  const found: Replacement[] = [];
  const vacated = activeAt(uses, from);
  if (before !== null && vacated?.prompt_id === before.id) {
    found.push({ replaced: { id: before.id, name: before.name }, successor: vacated.next });
  }
  const occupant = activeAt(uses, to);
  if (occupant && (before === null || isNewer(before, { id: occupant.prompt_id, created_at: occupant.created_at }))) {
    found.push({ replaced: { id: occupant.prompt_id, name: occupant.name }, successor: 'saved' });
  }
  return found;
}

function activeAt(uses: readonly PromptUse[], place: string | null): PromptUse | undefined {
  return place === null ? undefined : uses.find((one) => one.place === place);
}
