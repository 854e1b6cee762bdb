import { serveThread } from '../../platform/serveThread.ts';
import { statedFacts } from '../compare/statedFacts.ts';
import { concludeReplay } from './concludeReplay.ts';
import { type ReplayReply, type ReplayTask, replayThreadKind } from './replayThreadKind.ts';

function work(task: ReplayTask): ReplayReply {
  switch (task.do) {
    case 'facts':
      return { do: 'facts', facts: task.texts.map(keysOfFacts) };
    case 'conclude':
      return { do: 'conclude', conclusion: concludeReplay(task.run, task.subjects, task.more) };
    default:
      return task satisfies never;
  }
}

function keysOfFacts(text: string) {
  const { prices, links, numbers } = statedFacts(text);
  const keysOf = (stated: readonly { readonly key: string }[]): string[] => stated.map(({ key }) => key);
  return { prices: keysOf(prices), links: keysOf(links), numbers: keysOf(numbers) };
}

serveThread(replayThreadKind, () => work);
