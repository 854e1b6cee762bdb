/** The scripted model's judgement of a conversation, as JSON. */
import { type ChatRequest, systemOf, textOf } from './request.ts';
import { OPT_OUT, RULES } from './rules.ts';

/** A prompt may show JSON without asking for it; only a request for it counts. */
const WANTS_JSON = /(?:answer|reply|respond|return)[^.\n]{0,60}\bjson\b[^{]*(\{[^{}]*\})/i;

/** Return whether the prompt asks for a JSON object like one that it shows. */
export const wantsJson = (request: ChatRequest): boolean => WANTS_JSON.test(systemOf(request));

/** Fill the keys of the prompt's example: by the last of the lead's messages that a rule knows. */
export function classify(request: ChatRequest): string {
  const prompt = systemOf(request);
  const example = WANTS_JSON.exec(prompt)?.[1] ?? '';
  const lines = leadLines(request);
  const decisive = lines.findLast((line) => RULES.some(({ words }) => words.test(line)));
  const rule = RULES.find(({ words }) => decisive !== undefined && words.test(decisive));
  const values: Record<string, unknown> = {
    stage: rule?.stage ?? 'ongoing',
    opt_out: rule === OPT_OUT,
    confirmed: (rule?.stage === 'success' || rule?.stage === 'refused') && hasRequiredWords(prompt, lines),
    meets: meetsRequirement(prompt, request),
    code: /"code":\s*"([\w-]+)"/.exec(example)?.[1],
    reason: rule ? `${rule.reason}: "${decisive?.slice(0, 120)}"` : 'The lead has decided nothing.',
  };
  const keys = [...example.matchAll(/"(\w+)"\s*:/g)].map(([, key = '']) => key);
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, values[key] ?? values['reason']])));
}

/** Return whether the lead has written each quoted word that the prompt requires by `only if`. */
function hasRequiredWords(prompt: string, lines: readonly string[]): boolean {
  const required = [...prompt.matchAll(/\bonly if\b[^.\n"]*"([^"\n]+)"/gi)].map(([, word = '']) => word.toLowerCase());
  const written = lines.join('\n').toLowerCase();
  return required.every((word) => written.includes(word));
}

/** Return whether the last message of our side says each phrase that the requirement quotes, and is not rude. */
function meetsRequirement(prompt: string, request: ChatRequest): boolean {
  const [, requirement = ''] = /^Requirement: (.*)$/m.exec(prompt) ?? [];
  const phrases = [...requirement.matchAll(/["“]([^"“”]+)["”]/g)].map(([, phrase = '']) => phrase.toLowerCase());
  const answer = linesOf(request, 'us').at(-1)?.toLowerCase() ?? '';
  return phrases.every((phrase) => answer.includes(phrase)) && !answer.includes('fool');
}

const leadLines = (request: ChatRequest): string[] => linesOf(request, 'lead');

/** Return what a side wrote in the transcript: `lead: "…"`. */
function linesOf(request: ChatRequest, side: 'lead' | 'us'): string[] {
  const transcript = request.messages.filter(({ role }) => role === 'user').map(textOf);
  return [...transcript.join('\n').matchAll(new RegExp(`^${side}: "?(.*?)"?$`, 'gm'))].map(([, line = '']) => line);
}
