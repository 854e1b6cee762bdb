/** A member's cases, patterns and documents against the checks of the studio: they must not keep others waiting. */
import { setTimeout as pause } from 'node:timers/promises';
import { startModelVendor, textAnswer } from '../../testing/modelVendor.ts';
import { type StudioRuns, studioRuns } from '../../testing/studioRuns.ts';
import { definePart } from '../harness/command.ts';
import { probeDuring } from '../harness/probe.ts';
import { AttackReport, ordinaryRequests, withTarget } from './target.ts';

const QUIET_MS = 5000;
const TIMEOUT_MS = 5000;
/** Two such documents kept a node silent for 38.6 s before checks had threads and facts were read in linear time. */
const DOCUMENT_LENGTH = 95_000;
/** The longest answer that a check reads, about which each pattern takes 0.2 s. */
const ANSWER = `${'a'.repeat(10_000)}${'1'.repeat(10_000)}`;
const PATTERNS_OF_CASE = 30;
const CASES_SAVED = 10;

/** Patterns that may be saved, and take as long as such a pattern can. */
const slowPatterns = (from: number) =>
  Array.from({ length: PATTERNS_OF_CASE }, (_none, index) => ({
    kind: 'not_matches' as const,
    pattern: `(?:.?){190}#${from + index}`,
  }));

const facts = {
  lead: { name: 'Anna' },
  contact: { contact: '79991234567', type: 'whatsapp' as const },
  now: '2026-03-01T12:00:00.000Z',
  documents: { a: '1'.repeat(DOCUMENT_LENGTH), b: '12'.repeat(DOCUMENT_LENGTH / 2) },
};

export const checks = definePart({
  heading: 'Checks of the studio',
  options: {},
  run: ({ log }) =>
    withTarget(async (target) => {
      const { world } = target;
      const vendor = await startModelVendor(world);
      try {
        vendor.answer(textAnswer(ANSWER, { prompt_tokens: 100, completion_tokens: 100 }));
        const studio = await studioRuns(world, await world.operator('mallory', [world.companyId]));
        const ordinary = await ordinaryRequests(target, TIMEOUT_MS);
        const quiet = await probeDuring(ordinary, () => pause(QUIET_MS));
        const ends: string[] = [];
        const passed: string[] = [];
        const gate = async (requirements: Parameters<StudioRuns['createCase']>[1]): Promise<void> => {
          const { id } = await studio.createCase('How much is it?', requirements, { facts });
          const { state, verdict } = await studio.gate({ case_ids: [id], repeats: 1 });
          const end = `${state}, ${verdict?.kind === 'gate' ? verdict.state : 'without a verdict'}`;
          ends.push(end);
          const isSlow = requirements?.some(({ kind }) => kind === 'not_matches');
          if (isSlow && end.endsWith('green')) passed.push(`A gate with slow patterns passed: ${end}`);
        };
        const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
          'facts of an answer and of two documents of 95,000 digits': () => gate([{ kind: 'known_facts' }]),
          'thirty slow patterns on an answer of 20,000 characters': () => gate(slowPatterns(0)),
          'ten cases with thirty slow patterns each, saved at once': () =>
            Promise.all(
              Array.from({ length: CASES_SAVED }, (_none, index) =>
                studio.createCase('How much is it?', slowPatterns(PATTERNS_OF_CASE * (index + 1))).catch(requireBusy),
              ),
            ),
        };
        const report = new AttackReport();
        for (const [attack, begin] of Object.entries(attacks)) {
          report.add(attack, quiet, await probeDuring(ordinary, begin));
          log(`${attack}: done`);
        }
        return {
          text: `A member of one company makes test cases and tries them, on a model that answers what they want. The gates ended: ${ends.join('; ')}. ${report.table()}`,
          violations: [...report.violations, ...passed],
        };
      } finally {
        await vendor.close();
      }
    }),
});

/** Too many at once are refused with 503, which also ends the attack. */
function requireBusy(error: unknown): void {
  if (!(error instanceof Error && error.message.startsWith('503'))) throw error;
}
