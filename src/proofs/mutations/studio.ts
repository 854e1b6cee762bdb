/** Mutations of runs of the studio: what must not leave them, what must be paid once, and what must not count as a pass. */
import type { MutationsByTest } from './mutation.ts';

/** Code that sends a text to a lead of the run's product, as production does, before a statement of a kind's `perform`. */
const sendsBefore = (statement: string): readonly [string, string] => [
  statement,
  `{
    const { BOT_MESSAGE, OPERATOR_MESSAGE, queueMessages } = await import('../../conversations/queueMessages.ts');
    const product_id = work.run.product.id;
    const dialogue = await context.reader.selectFrom('dialogues').select('id').where('product_id', '=', product_id).executeTakeFirstOrThrow();
    const text = { ...OPERATOR_MESSAGE, ...BOT_MESSAGE, text: 'Sent by a run' };
    await context.transact((tx) => queueMessages(tx, { id: dialogue.id, product_id }, text));
  }
  ${statement}`,
];

export const STUDIO_MUTATIONS: MutationsByTest = {
  'src/studio/nothingLeaves.test.ts': {
    'A gate sends its answers': {
      file: 'src/studio/gate/gateKind.ts',
      change: sendsBefore("if (answer.kind === 'failed') return answer;"),
      failing: 'nothing of a gate of answers that hand over leaves the studio',
    },
    'A gate of a classification prompt sends to a lead': {
      file: 'src/studio/gate/gateKind.ts',
      change: sendsBefore("if (answer.kind === 'failed') return answer;"),
      failing: 'nothing of a gate of stages leaves the studio',
    },
    'A replay sends its answers': {
      file: 'src/studio/replay/replayKind.ts',
      change: sendsBefore("if (answer.kind === 'failed') return answer;"),
      failing: 'nothing of a replay with a judge leaves the studio',
    },
    'A replayed classification sends to the lead': {
      file: 'src/studio/replay/classificationKind.ts',
      change: sendsBefore("if (answer.kind === 'failed') return answer;"),
      failing: 'nothing of a classification leaves the studio',
    },
    'A replayed classification moves the lead': {
      file: 'src/studio/replay/classificationKind.ts',
      change: [
        "if (answer.kind === 'failed') return answer;",
        `if (answer.kind === 'failed') return answer;
         const { changeStage } = await import('../../leads/changeStage.ts');
         const { lead_id: id } = work.subject.subject;
         const { stage } = answer.kind === 'answered' ? answer.output : { stage: null };
         const cancelPending = () => Promise.resolve();
         if (id !== null && stage !== null)
           await context.transact((tx) => changeStage(tx, { id, stage, by: 'classification', cancelPending }));`,
      ],
      failing: 'nothing of a classification leaves the studio',
    },
    'A simulation sends what its talks say': {
      file: 'src/studio/simulate/simulation.ts',
      change: sendsBefore("if (outcome.kind === 'failed') return outcome;"),
      failing: 'nothing of a simulation leaves the studio',
    },
    'Runs of a sample belong to a dialogue of a lead': {
      file: 'src/studio/answerSample.ts',
      change: [
        'metadata: metadataOf(work),\n      system',
        '...(work.subject.subject.dialogue_id === null ? {} : { dialogueId: work.subject.subject.dialogue_id }),\n      metadata: metadataOf(work),\n      system',
      ],
      failing: 'nothing of a replay with a judge leaves the studio',
    },
  },
  'src/studio/cases.test.ts': {
    'A hand-over cannot be tried again from its sentence': {
      file: 'src/studio/store/cases.ts',
      removed: "asked.origin = 'hand_over' or ",
      failing: 'from the sentence of a hand-over lets the model hand over again',
    },
  },
};
