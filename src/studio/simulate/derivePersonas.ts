/**
 * Makes personas from a product's dialogues: a model describes kinds of leads, and whatever could say who a real one is is
 * removed, before the model reads the dialogues and again before its descriptions are stored.
 */
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { buildRepairRequest, formatConversation, parseAnswer } from '../../conversations/judgeQuestions.ts';
import { findProductForPrompt, type ProductForPrompt, runPrompt } from '../../conversations/runPrompt.ts';
import type { ModelMessage } from '../../llm/wire/message.ts';
import type { AppContext } from '../../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../../platform/audit.ts';
import { commonRefusals, refuse } from '../../platform/refuse.ts';
import { type Persona, personaRefusals } from '../personaContract.ts';
import {
  insertDerivedPersonas,
  type NewPersona,
  readDialoguesToLearnFrom,
  readWordsOfPrompts,
} from '../store/personas.ts';
import { buildDerivePrompt, type DescribedPersona, deriveQuestion, PERSONAS_OF_CALL } from './derivePrompt.ts';
import { createScrubber, type Scrubber } from './scrub.ts';

/** Most dialogues that personas are made of. */
const MAX_DIALOGUES = 60;
/** Longest text of dialogues in one call, characters. */
const MAX_LENGTH = 60_000;

/** Make personas, and store them. Refuses if there are no dialogues, or if the model makes nothing usable. */
export async function derivePersonas(
  context: AppContext,
  { productId, count }: { productId: number; count: number },
  { signal, ...writing }: WriteContext & { readonly signal: AbortSignal },
): Promise<Persona[]> {
  const { reader } = context;
  const product = await findProductForPrompt(reader, productId);
  if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  const dialogues = await readDialoguesToLearnFrom(reader, productId, MAX_DIALOGUES);
  if (dialogues.length === 0) throw refuse(personaRefusals, 'persona.no_dialogues');
  const scrubber = createScrubber(
    dialogues.flatMap(({ names }) => names),
    await readWordsOfPrompts(reader, productId),
  );
  const transcripts: string[] = [];
  for (const { messages } of dialogues) {
    transcripts.push(
      formatConversation(messages.map(({ side, text }) => ({ side, kind: 'text', text: scrubber.scrub(text) }))),
    );
    // A dialogue takes some milliseconds: others get their turn in between.
    await letOthersRun();
  }
  const calls = Math.ceil(count / PERSONAS_OF_CALL);
  const described: DescribedPersona[] = [];
  for (let call = 0; call < calls; call++) {
    const wanted = Math.min(PERSONAS_OF_CALL, count - described.length);
    // Each call reads other dialogues, so that it does not describe the same leads again.
    const own = transcripts.filter((_one, index) => index % calls === call);
    const texts = own.length > 0 ? own : transcripts;
    described.push(...(await describe(context, product, { texts, count: wanted, signal })));
  }
  const found = described.flatMap((one) => withoutPeople(one, scrubber));
  if (found.length === 0) throw refuse(personaRefusals, 'persona.not_made', { reason: 'nothing usable was written' });
  return context.transact(async (tx) => {
    const author = writing.caller.login;
    const stored = await insertDerivedPersonas(tx, withDistinctNames(found), {
      productId,
      dialogues: dialogues.length,
      author,
    });
    // Throws if the caller has lost access meanwhile.
    for (const { id, name } of stored)
      await recordAuditEntry(tx, {
        ...writing,
        action: 'created',
        noun: 'studio_persona',
        rowId: id,
        productId,
        after: { name, derived_from: dialogues.length },
      });
    return stored;
  });
}

/** Ask for personas; once more if the answer is not as asked. */
async function describe(
  context: AppContext,
  product: ProductForPrompt,
  { texts, count, signal }: { texts: readonly string[]; count: number; signal: AbortSignal },
): Promise<readonly DescribedPersona[]> {
  const question = deriveQuestion(count);
  const ask = async (messages: readonly ModelMessage[]): Promise<string> => {
    const { completion } = await runPrompt(context, {
      product,
      purpose: 'studio',
      name: 'Personas',
      metadata: { dialogues: texts.length },
      system: buildDerivePrompt(count),
      messages,
      credentials: product.credentials,
      invalidReplyReason: (answer) => {
        const parsed = parseAnswer(question, answer);
        return parsed.ok ? null : parsed.problem;
      },
      signal,
    });
    if (completion.kind === 'failed') throw refuse(personaRefusals, 'persona.not_made', { reason: completion.reason });
    return completion.text;
  };
  const request = { role: 'user', content: joinUpTo(texts, MAX_LENGTH) } as const;
  const first = await ask([request]);
  const parsed = parseAnswer(question, first);
  if (parsed.ok) return parsed.value.personas.slice(0, count);
  const second = await ask([
    request,
    { role: 'assistant', content: first.slice(0, 10_000).trim() || '(nothing)' },
    { role: 'user', content: buildRepairRequest(question, parsed.problem) },
  ]);
  const repaired = parseAnswer(question, second);
  if (!repaired.ok) {
    const reason = `the model's answer cannot be used: ${repaired.problem}`;
    throw refuse(personaRefusals, 'persona.not_made', { reason });
  }
  return repaired.value.personas.slice(0, count);
}

function joinUpTo(texts: readonly string[], length: number): string {
  let joined = '';
  for (const text of texts) if (joined.length + text.length < length) joined += `${text}\n`;
  return joined === '' ? (texts[0] ?? '').slice(0, length) : joined;
}

/** Remove what could say who somebody is; a persona of which too little is left is dropped. */
function withoutPeople(described: DescribedPersona, scrubber: Scrubber): NewPersona[] {
  const lines = (list: readonly string[]) => list.map((one) => scrubber.scrub(one)).filter((text) => text !== '');
  const one: NewPersona = {
    name: scrubber.scrub(described.name).slice(0, 100) || 'Lead',
    style: scrubber.scrub(described.style),
    language: /^[a-z]{2}(?:-[a-z]{2})?$/i.test(described.language) ? described.language.toLowerCase() : 'en',
    goal: scrubber.scrub(described.goal),
    questions: lines(described.questions),
    objections: lines(described.objections),
    ending: described.ending,
  };
  return one.style === '' || one.goal === '' ? [] : [one];
}

/** Number personas of the same name. */
function withDistinctNames(personas: readonly NewPersona[]): NewPersona[] {
  const seen = new Map<string, number>();
  return personas.map((one) => {
    const nr = (seen.get(one.name) ?? 0) + 1;
    seen.set(one.name, nr);
    return nr === 1 ? one : { ...one, name: `${one.name} (${nr})` };
  });
}
