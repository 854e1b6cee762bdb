/** Prompts: what the bot is told. */
export const promptTypes = [
  'prompt',
  'classification',
  'qualification',
  'document',
  'ping',
  'subprompt',
  'refusal_qualification',
] as const;
export type PromptType = (typeof promptTypes)[number];
