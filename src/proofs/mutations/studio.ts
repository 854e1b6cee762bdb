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
  'src/studio/kill.test.ts': {
    'A call that is stored is paid again': {
      file: 'src/studio/makeSamples.ts',
      disabled: 'if (existing !== undefined)',
      failing: 'a run is resumed at every point, and nothing is doubled',
    },
    'What a dead instance had reserved is forgotten': {
      file: 'src/studio/store/samples.ts',
      change: ['spent = r.spent + g.lost', 'spent = r.spent'],
      failing: 'a run is resumed at every point, and nothing is doubled',
    },
  },
  'src/studio/lostClaims.test.ts': {
    'A late result of a lost claim is stored': {
      file: 'src/studio/makeSamples.ts',
      removed: 'if (isOurs) await storeResult',
      failing: 'a late answer is paid for and not stored',
    },
    'A late answer of a lost claim is kept': {
      file: 'src/studio/makeSamples.ts',
      change: ['if (isOurs && answer) await storeCall', 'if (answer) await storeCall'],
      failing: 'a late answer is paid for and not stored',
    },
    'A sample is taken over while its lease holds': {
      file: 'src/studio/store/samples.ts',
      change: [
        " and ${isUnclaimed('s')}`;\n\n/** A sample that can be claimed",
        '`;\n\n/** A sample that can be claimed',
      ],
      failing: 'a late answer is paid for and not stored',
    },
  },
  'src/studio/runs.test.ts': {
    'A run spends more than its budget': {
      file: 'src/studio/store/samples.ts',
      removed: ' and c.is_within',
      failing: 'is never exceeded',
    },
    'A further call of a sample asks for no budget': {
      file: 'src/studio/makeSamples.ts',
      disabled: 'if (!this.hasReserved)',
      failing: 'is asked before each further call of a sample',
    },
    'The call in flight of a cancelled run is not paid': {
      file: 'src/studio/store/samples.ts',
      change: [
        'where r.id = ${runId}\n    ), settled',
        'where r.id = ${runId} and (select is_ours from sample)\n    ), settled',
      ],
      failing: 'keeps what is done, pays for the call in progress, and begins nothing more',
    },
    'The studio spends what is left of the day for leads': {
      file: 'src/studio/store/samples.ts',
      change: ['and ${sql.raw(IS_BUDGET_NEARLY_SPENT)})', 'and false)'],
      failing: 'pauses a run before leads have to wait',
    },
    'The studio makes as many calls at once as answers to leads': {
      file: 'src/studio/room.ts',
      change: ['const SHARE = 1 / 4;', 'const SHARE = 1;'],
      failing: 'claims no more samples at once than there is room for',
    },
    'A prompt that cannot be filled in passes': {
      file: 'src/studio/gate/gateKind.ts',
      change: [
        "return { kind: 'done', output: null, error: violation.detail, violations: [violation] };",
        "return { kind: 'done', output: null, error: violation.detail, violations: [] };",
      ],
      failing: 'gives a prompt that cannot be filled in no pass',
    },
  },
  'src/studio/rubric.test.ts': {
    'A judge that is not calibrated blocks': {
      file: 'src/studio/gate/gateKind.ts',
      change: ['kind !== RUBRIC || input.counts_judge || isAdvisory(input)', 'kind !== RUBRIC || true'],
      failing: 'a rubric beside other requirements counts only with a calibrated judge',
    },
    'A case of a rubric alone decides without a calibrated judge': {
      file: 'src/studio/gate/gateKind.ts',
      change: ['rubric !== null && !counts;', 'rubric !== null && !counts && requirements.length > 0;'],
      failing: 'is advisory until the judge is calibrated',
    },
    'A gate of advice alone is green': {
      file: 'src/studio/gate/decideGate.ts',
      removed: " && cases.some(({ state }) => state === 'green')",
      failing: 'alone decides nothing: a gate of nothing else is no pass',
    },
    'Braces of a rubric are a template': {
      file: 'src/studio/rubric.ts',
      change: ['/\\{(?=[{%])/g', '/\\{\\{/g'],
      failing: 'braces of a rubric are no template',
    },
  },
  'src/studio/gate/decideGate.test.ts': {
    'A violated ban waits for other answers': {
      removed: "if (one.candidate.includes('breaks_ban')) return decide('red', 'ban', { isBehind: true });",
      failing: 'is red at once for one violated ban',
    },
    'Missing answers pass': {
      change: [
        "if (pairs.length < repeats) return decide('missing');",
        "if (pairs.length < repeats) return decide('green');",
      ],
      failing: 'is missing without all of its answers, which never counts as a pass',
    },
    'A case is red without having been tried again': {
      removed: 'pairs > repeats && ',
      failing: 'is never red before it was tried again, whatever it fails',
    },
    'Many cases that are each a little worse pass': {
      change: [
        'if (signTest(first) > SUSPICION || signTest(next) > CONFIRMATION) return null;',
        'if (first.length >= 0) return null;',
      ],
      failing: 'are worse when many fail a little more often',
    },
  },
  'src/studio/judge/question.test.ts': {
    'A judge that always prefers what it reads first decides': {
      change: ["order === MIRRORED[reverse] ? order : 'tie';", 'order === MIRRORED[reverse] ? order : order;'],
      failing: 'first, and first in the reverse order, is tie',
    },
    'A text dictates a judgement': {
      change: ['code: z.literal(code)', 'code: z.string()'],
      failing: 'needs the code of its question',
    },
    'An answer closes its block': {
      change: ["JSON.stringify(answer).replaceAll('<', '\\\\u003c')", 'JSON.stringify(answer)'],
      failing: 'nothing that a lead or an answer says leaves its block',
    },
  },
  'src/studio/judge/calibration.test.ts': {
    'A judge is calibrated by agreement that chance explains': {
      removed: ' && kappa !== null && kappa >= LEAST_KAPPA',
      failing: 'is not calibrated by labels that it agrees with as often as by chance',
    },
    'A judge is calibrated by a few labels': {
      removed: 'labelled.length >= CALIBRATION_LABELS && ',
      failing: 'is calibrated by 60 labels, not by 59',
    },
  },
  'src/prompts/publish.test.ts': {
    'A draft goes live when it is saved': {
      change: ["(await readGate(tx, productId)) === 'off'", 'true'],
      failing: 'leaves what is live as it is when the gate changes, and a draft when only other fields are saved',
    },
    'Red cases do not block': {
      disabled: "if (checks !== null && problem !== null && gate === 'block' && overrideReason === null)",
      failing: 'refuses red cases with the gate block, and names them in the body',
    },
    'Missing evidence counts as a pass': {
      change: ["return 'it was not checked with all of its cases';", 'return null;'],
      failing: 'refuses missing evidence with the gate block, which is no pass',
    },
    'A reason to publish despite red cases is not recorded': {
      change: ['override_reason: problem === null ? null : overrideReason', 'override_reason: null'],
      failing: 'publishes red cases with a reason, which is recorded with the operator’s name',
    },
    'A rollback goes to the version that was rolled back': {
      file: 'src/prompts/publish.ts',
      removed: 'await insertRollback(tx, { promptId: prompt.id, author, target });',
      failing: 'goes further back each time, and never forward again',
    },
  },
  'src/prompts/liveTexts.test.ts': {
    'Leads get drafts': {
      file: 'src/prompts/store/ofProduct.ts',
      change: ["texts === 'live' ? sql`id, name, live_text", "texts === 'saved' ? sql`id, name, live_text"],
      failing: 'sends and decides with what is live, by every path, whatever was saved since',
    },
    'A prompt that was never published is used': {
      file: 'src/prompts/store/ofProduct.ts',
      change: ["texts === 'live' ? sql`live_version is not null`", "texts === 'saved' ? sql`live_version is not null`"],
      failing: 'does nothing with a prompt that was never published, and says so',
    },
  },
};
