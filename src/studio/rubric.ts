/** Asks a model whether an answer meets a rubric. */

import { z } from 'zod';
import { answerText, type JudgeQuestion } from '../conversations/judgeQuestions.ts';
import { judgeSample } from './answerSample.ts';
import { type GateJudge, RUBRIC } from './gate/gateKind.ts';

const rubricAnswer = z.strictObject({ meets: z.boolean(), reason: answerText(2000) });

const RUBRIC_QUESTION: JudgeQuestion<z.output<typeof rubricAnswer>> = {
  answerFormat: `{"meets": true, "reason": "..."}
meets is true only if the last message of our side meets the requirement above, else false; reason is one sentence.`,
  shape: rubricAnswer,
};

/** Braces of a rubric are text: it is no template. */
const escapeTemplate = (text: string): string => text.replaceAll(/\{(?=[{%])/g, '{ ');

export const checkRubric: GateJudge['checkRubric'] = async (context, work, { rubric, case: input, answer }) => {
  const text = `You check the last message of our side in a conversation against a requirement. Judge only by it.\n\nRequirement: ${escapeTemplate(rubric)}`;
  const judged = await judgeSample(context, work, {
    text,
    name: 'Rubric',
    facts: input.facts,
    history: [...input.history, { side: 'bot', text: answer, kind: 'text' }],
    model: work.run.settings.judge,
    question: RUBRIC_QUESTION,
  });
  if (judged.kind === 'failed') return judged;
  if (judged.kind === 'unusable') return { kind: 'failed', reason: judged.reason, isPermanent: true, isPaused: false };
  const { meets, reason } = judged.value;
  return { kind: 'judged', violation: meets ? null : { kind: RUBRIC, detail: reason } };
};
