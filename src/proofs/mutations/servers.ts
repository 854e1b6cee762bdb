/** Mutations of what is read of model servers, of what they refuse, and of hosts that do not answer. */
import type { MutationsByTest } from './mutation.ts';

export const SERVER_MUTATIONS: MutationsByTest = {
  'src/llm/wire/wire.test.ts': {
    'A thought before the answer is shown while it is written': {
      file: 'src/llm/wire/answer.ts',
      change: ['this.keepText(this.leading.take(piece).text);', 'this.keepText(piece);'],
      failing: 'shows nobody the thoughts that it begins with',
    },
  },
  'src/proofs/corpus/corpus.test.ts': {
    'Arguments that come before the name of a tool are lost': {
      file: 'src/llm/wire/openai.ts',
      change: ["if (piece !== '') call.early.push(piece);", "if (piece !== '' && call.draft) call.early.push(piece);"],
      failing: 'gets the expected verdict for every case',
    },
    'A thought that only ends is sent to the lead': {
      file: 'src/llm/wire/leadingThought.ts',
      change: ['last ? rest.slice(last.index + last[0].length) : rest', 'last ? rest : rest'],
      failing: 'gets the expected verdict for every case',
    },
    'A whole answer without a reason is broken off': {
      file: 'src/llm/wire/openai.ts',
      change: ['if (isDone(data)) return answer.complete();', 'if (isDone(data)) return;'],
      failing: 'gets the expected verdict for every case',
    },
    'The last event needs a blank line': {
      file: 'src/llm/wire/readEvents.ts',
      removed: "endStream(() => parser.feed('\\n\\n'));",
      failing: 'gets the expected verdict for every case',
    },
    'What a filter stopped is asked again': {
      file: 'src/llm/modelAttempt.ts',
      disabled: "if (reason === 'content-filter')",
      failing: 'gets the expected verdict for every case',
    },
    'Nobody is shown that an address has no /v1': {
      file: 'src/llm/addressHint.ts',
      change: ['if (/\\/v\\d/.test(path)) return null;', 'return null;'],
      failing: 'gets the expected verdict for every case',
    },
    'A zero after the usage makes an answer free': {
      file: 'src/llm/wire/answer.ts',
      change: ['(one ?? other) : Math.max(one, other)', '(one ?? other) : other'],
      failing: 'gets the expected verdict for every case',
    },
  },
  'src/llm/serverRefusals.test.ts': {
    'What a server refuses is sent to it each time': {
      file: 'src/llm/adaptedModel.ts',
      change: ['await this.remember(this.learnt)', 'void this.remember'],
      failing: 'is left out at once, and from then on, for that model alone',
    },
    'A test of an old key stays beside the new one': {
      file: 'src/llm/routes.ts',
      removed: 'test: null,\n                tested_at: null,',
      failing: 'is kept with its reason, until key or address change',
    },
  },
  'src/channels/unreachable.test.ts': {
    'A vendor that cannot be reached is an error of ours': {
      file: 'src/platform/outbound.ts',
      change: ['throw reason === null ? new NoAnswer(url.host, cause) : new NotSent(reason);', 'throw cause;'],
      failing: 'names the host of chatpush',
    },
  },
};
