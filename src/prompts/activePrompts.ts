/** Determine which prompts of a product are active, and which one another would replace. */
import type { Prompt, PromptType, PromptUse } from './contract.ts';

/** Types of which a product uses only one prompt: the newest without a group. */
export const singleTypes = ['prompt', 'qualification', 'refusal_qualification'] as const satisfies PromptType[];

/** The fields that decide which slot of the product a prompt fills. */
export type PromptPlacement = Pick<Prompt, 'type' | 'group_id' | 'name'>;
/** The fields that decide which of two prompts is newer. */
export type PromptAge = Pick<Prompt, 'id' | 'created_at'>;

/**
 * Return the slot that only one prompt of the product fills at a time: 'the product's prompt' of a type, or the
 * subprompt of a name. Null: any number of such prompts are used side by side, by reference.
 */
export function placeOf({ type, group_id, name }: PromptPlacement): string | null {
  if (type === 'subprompt') return `subprompt ${name.trim()}`;
  return group_id === null && singleTypes.some((one) => one === type) ? type : null;
}

/** Return whether `a` is newer than `b`. The server uses the same order: created_at, then id. */
export function isNewer(a: PromptAge, b: PromptAge): boolean {
  return a.created_at === b.created_at ? a.id > b.id : a.created_at > b.created_at;
}

/** A stored prompt, as far as it decides which prompts are active. */
export type PlacedPrompt = PromptPlacement & PromptAge & Pick<Prompt, 'live_version'>;

export interface Replacement {
  /** The prompt that is active now and no longer afterwards. */
  readonly replaced: { readonly id: number; readonly name: string } | null;
  /** The prompt that is active afterwards; null: none. `saved`: the one being saved or published. */
  readonly successor: 'saved' | { readonly id: number; readonly name: string } | null;
}

/**
 * Return which prompts are replaced when a prompt is saved or published as `next`. `before` is the stored prompt; null: a
 * new one. A prompt that is not live replaces none. Empty if none is replaced.
 */
export function replacements(
  uses: readonly PromptUse[],
  before: PlacedPrompt | null,
  next: PromptPlacement & { readonly isLive: boolean },
): readonly Replacement[] {
  const from = before === null || before.live_version === null ? null : placeOf(before);
  const to = next.isLive ? placeOf(next) : null;
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
