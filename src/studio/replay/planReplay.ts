/** Plans a replay: each answer of the bot in real dialogues is generated again. */
import { z } from 'zod';
import { HISTORY_LIMIT } from '../../conversations/systemPrompt.ts';
import type { Reader } from '../../platform/db.ts';
import { ids } from '../../platform/ids.ts';
import { refuse } from '../../platform/refuse.ts';
import { mostConfirmations } from '../compare/rank.ts';
import type { CallSize, PlannedSample, PlannedSubject, Planning, RunArm, RunFacts } from '../run.ts';
import { studioRefusals } from '../runContract.ts';
import { findDialoguesToReplay, findOwnDialogues, readReplayedMessages } from '../store/replayed.ts';
import { findTurns, type ReplayedTurn } from './findTurns.ts';
import { readFactsInThread } from './inThread.ts';
import type { ReplayInput } from './replayInput.ts';

/** Most turns of one dialogue: its newest. */
const TURNS_OF_DIALOGUE = 30;

/** Characters of a usual answer, and of our own rules, facts and tools around a prompt. */
const ANSWER_LENGTH = 800;
const FRAME_LENGTH = 3000;
/** Characters of the judge's question, and of its answer. */
const QUESTION_LENGTH = 2500;
const JUDGEMENT_LENGTH = 300;

export async function planReplay({ reader, threads }: Planning, run: RunFacts): Promise<PlannedSubject[]> {
  const { prompt, liveText, model } = run;
  const dialogueIds = await chooseDialogues(reader, run);
  const replayed = { promptId: prompt.id, liveText, model };
  const messages = await readReplayedMessages(reader, replayed, dialogueIds);
  const turns = findTurns(messages, { historyLimit: HISTORY_LIMIT, limit: TURNS_OF_DIALOGUE });
  if (turns.length === 0) throw refuse(studioRefusals, 'studio.no_dialogues');
  const texts = new Set(turns.flatMap(({ history }) => history.map(({ text }) => text)));
  const factsOf = await readFactsInThread({ threads, companyId: run.product.company_id }, [...texts]);
  return turns.map((turn) => planTurn(run, turn, contextFacts(turn, factsOf)));
}

async function chooseDialogues(reader: Reader, { product, prompt, settings }: RunFacts): Promise<number[]> {
  const { dialogue_ids: chosen, sample } = settings;
  if (chosen === null)
    return findDialoguesToReplay(reader, { productId: product.id, promptId: prompt.id, limit: sample });
  const own = await findOwnDialogues(reader, product.id, chosen);
  if (own.length < new Set(chosen).size) throw refuse(studioRefusals, 'studio.other_product', { noun: 'dialogue' });
  return own;
}

type ContextFacts = ReplayInput['context_facts'];

/** The facts of the conversation before an answer. */
function contextFacts({ history }: ReplayedTurn, factsOf: ReadonlyMap<string, ContextFacts>): ContextFacts {
  const stated = (kind: keyof ContextFacts): string[] => [
    ...new Set(history.flatMap(({ text }) => factsOf.get(text)?.[kind] ?? [])),
  ];
  return { prices: stated('prices'), links: stated('links'), numbers: stated('numbers') };
}

function planTurn(run: RunFacts, turn: ReplayedTurn, facts: ContextFacts): PlannedSubject {
  const { dialogueId, leadId, leadName, messageId, number, history, real, isOfLive } = turn;
  const historyLength = lengthOf(history);
  const input: ReplayInput = {
    position: number,
    message_id: messageId,
    real,
    is_of_live: isOfLive,
    code: ids.next(),
    history_length: historyLength,
    context_facts: facts,
  };
  return {
    key: `turn ${messageId}`,
    subject: {
      kind: 'turn',
      name: `${leadName}, answer ${number}`,
      case_id: null,
      dialogue_id: dialogueId,
      lead_id: leadId,
      message_id: messageId,
      persona_id: null,
    },
    history: [...history],
    real,
    input: z.json().parse(input),
    samples: [
      answerSampleOf(run, historyLength, { arm: 'candidate', repeat: 0 }),
      ...(run.liveText === null
        ? []
        : // What live differs from itself needs two of its answers; the one that was sent may be one of them.
          Array.from({ length: isOfLive ? 1 : 2 }, (_, repeat) =>
            answerSampleOf(run, historyLength, { arm: 'live', repeat }),
          )),
    ],
  };
}

/** Plan one answer of a turn. */
export function answerSampleOf(
  run: RunFacts,
  historyLength: number,
  { arm, repeat }: { readonly arm: Extract<RunArm, 'candidate' | 'live'>; readonly repeat: number },
): PlannedSample {
  const text = arm === 'candidate' ? run.text : (run.liveText ?? '');
  const call: CallSize = { sent: text.length + historyLength + FRAME_LENGTH, received: ANSWER_LENGTH };
  return { arm, repeat, calls: 1, call };
}

/** Plan the judgement of a turn: one call for each order. */
export function judgeSampleOf(run: RunFacts, historyLength: number): PlannedSample {
  const sent = QUESTION_LENGTH + historyLength + 2 * ANSWER_LENGTH;
  return { arm: 'judge', repeat: 0, model: run.settings.judge, calls: 2, call: { sent, received: JUDGEMENT_LENGTH } };
}

/** What confirmations and a judge add at most: a judgement for each dialogue. */
export function laterSamples(run: RunFacts, subjects: readonly PlannedSubject[]): PlannedSample[] {
  const lengths = subjects.map(({ history }) => lengthOf(history));
  const dialogues = new Map(subjects.map(({ subject }, index) => [subject.dialogue_id, lengths[index] ?? 0]));
  const answers = mostConfirmations({ turns: subjects.length, dialogues: dialogues.size });
  const typical = lengths.toSorted((one, other) => one - other)[Math.floor(lengths.length / 2)] ?? 0;
  const confirmation = answerSampleOf(run, typical, { arm: 'candidate', repeat: 1 });
  return [
    ...(run.liveText === null ? [] : Array.from({ length: answers }, () => confirmation)),
    ...(run.withJudge ? [...dialogues.values()].map((length) => judgeSampleOf(run, length)) : []),
  ];
}

const lengthOf = (history: readonly { readonly text: string }[]): number =>
  history.reduce((sum, { text }) => sum + text.length, 0);
