import { serveThread } from '../../platform/serveThread.ts';
import { scoreTalk } from '../simulate/scoreTalk.ts';
import { checkRequirement } from './check.ts';
import { type CheckReply, type CheckTask, checkKind } from './checkKind.ts';
import { patternProblem } from './pattern.ts';

function work(task: CheckTask): CheckReply {
  switch (task.do) {
    case 'check': {
      const { requirements, input, progress } = task;
      const violations = requirements.flatMap((requirement, index) => {
        Atomics.store(progress, 0, index);
        return checkRequirement(requirement, input) ?? [];
      });
      return { do: 'check', violations };
    }
    case 'score': {
      const { talk, scored } = task;
      const violations = scoreTalk(talk, scored).map(({ kind, detail, answer }) => {
        return { kind, detail, answer: answer === null ? null : talk.answers.indexOf(answer) };
      });
      return { do: 'score', violations };
    }
    case 'patterns': {
      const unusable = task.patterns.values().flatMap((pattern) => {
        const problem = patternProblem(pattern);
        return problem === null ? [] : [{ pattern, problem }];
      });
      return { do: 'patterns', unusable: unusable.next().value ?? null };
    }
    default:
      return task satisfies never;
  }
}

serveThread(checkKind, () => work);
