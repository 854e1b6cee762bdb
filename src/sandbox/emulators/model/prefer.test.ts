/** The scripted model as a judge: what it prefers does not depend on the order. */
import { expect, test } from 'vitest';
import { parseAnswer } from '../../../conversations/judgeQuestions.ts';
import {
  buildPreferencePrompt,
  type ComparedAnswer,
  formatComparison,
  preferenceQuestion,
} from '../../../studio/judge/question.ts';
import { answerTo } from './answer.ts';

const QUESTION = preferenceQuestion('c0de');

function judge(asked: string, first: ComparedAnswer, second: ComparedAnswer): string {
  const content = formatComparison({ history: [{ side: 'user', text: asked }], first, second });
  const { text } = answerTo({
    model: 'sandbox-gpt',
    messages: [
      { role: 'system', content: buildPreferencePrompt(QUESTION) },
      { role: 'user', content },
    ],
  });
  const parsed = parseAnswer(QUESTION, text);
  return parsed.ok ? parsed.value.better : parsed.problem;
}

const answer = (text: string): ComparedAnswer => ({ text, hand_over: null });

test.each<[string, string, ComparedAnswer, ComparedAnswer]>([
  [
    'that asks on',
    'How much is it?',
    answer('It costs 25 euros. When would you like to start?'),
    answer('It costs 25 euros.'),
  ],
  [
    'in the language of the lead',
    'How much is it?',
    answer('It costs 25 euros.'),
    answer('Урок стоит 25 евро. Когда?'),
  ],
  ['that does not hand over without need', 'How much is it?', answer('Hm.'), { text: '', hand_over: 'cannot_answer' }],
  [
    'that hands over to somebody who asks for it',
    'I want a manager',
    { text: '', hand_over: 'asked_for_human' },
    answer('Why?'),
  ],
])('prefers the answer %s', (_what, asked, better, worse) => {
  expect([judge(asked, better, worse), judge(asked, worse, better)]).toEqual(['first', 'second']);
  expect(judge(asked, better, better)).toBe('tie');
});
