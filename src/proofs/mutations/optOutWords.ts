/** Mutations of what is recognised in the words of leads and answers. */
import type { MutationsByTest } from './mutation.ts';

export const OPT_OUT_WORD_MUTATIONS: MutationsByTest = {
  'src/leads/optOut.test.ts': {
    'A request in a quotation is certain': {
      file: 'src/leads/optOut.ts',
      removed: '!message.hasQuotation &&',
      failing: 'in a quotation',
    },
    'A request in a question is certain': {
      file: 'src/leads/optOut.ts',
      removed: 'if (isAsked) continue;',
      failing: 'in a question',
    },
    'A text of any length is read as a whole': {
      file: 'src/leads/optOut.ts',
      change: ['text.length > MOST_CHARACTERS;', 'false;'],
      failing: 'of free words of many languages takes work in proportion to its length, up to a limit',
    },
    'Invisible characters hide a request': {
      file: 'src/leads/words.ts',
      change: ["(/[\\n\\r\\t]/.test(sign) ? '\\n' : '')", "(/[\\n\\r\\t]/.test(sign) ? '\\n' : ' ')"],
      failing: 'in any case, with stretched letters, markup or quotation marks',
    },
    'A phrase goes on without end over words that are free': {
      file: 'src/leads/phraseGrammar.ts',
      removed: 'if (position - index > WINDOW) return;',
      failing: 'of words that are free takes work in proportion to its length, up to a limit',
    },
  },
  'src/proofs/corpus/corpus.test.ts': {
    'Words around a request do not count': {
      file: 'src/leads/optOut.ts',
      change: ['(covers[size] ?? []).reduce(', '(covers.findLast((sets) => sets !== undefined) ?? []).reduce('],
      failing: 'the corpus of opt-outs',
    },
    "'No, write to me' is a request": {
      file: 'src/leads/phraseGrammar.ts',
      removed: 'if (state.isNegation) return false;',
      failing: 'the corpus of opt-outs',
    },
    "'Oh, stop' is a request": {
      file: 'src/leads/optOut.ts',
      change: ['!readings.some((reading) => isOtherwise(message, reading))', 'true'],
      failing: 'the corpus of opt-outs',
    },
    'A request for now is certain with any reason': {
      file: 'src/leads/optOut.ts',
      change: [
        'return (parts & STORY) === 0 || words.some((word) => LASTING.has(word) || CEASING.has(word));',
        'return true;',
      ],
      failing: 'the corpus of opt-outs',
    },
    'A word that another language has for stop is certain': {
      file: 'src/leads/optOut.ts',
      removed: "if (kind === 'request' && readings.some((other) => isAmbiguous(other, index, end))) continue;",
      failing: 'the corpus of opt-outs',
    },
    'A request that is laughed at is certain': {
      file: 'src/leads/optOut.ts',
      removed: '!LAUGHTER.test(part) &&',
      failing: 'the corpus of opt-outs',
    },
    'A keyword beside an answer is certain': {
      file: 'src/leads/optOut.ts',
      removed: 'if ((parts & BARE) > 0) return false;',
      failing: 'the corpus of opt-outs',
    },
    'A promise under a condition is a promise': {
      file: 'src/leads/promisesSilence.ts',
      change: ['[...promised].some((sentence) => !conditional.has(sentence))', 'promised.size > 0'],
      failing: 'the corpus of promises',
    },
  },
};
