/** Why a turn could not be answered. `detail`: the words of a vendor or an error. */
export type NoAnswer =
  | { readonly code: 'no_prompt' }
  | { readonly code: 'template' | 'budget' | 'model'; readonly detail: string };
