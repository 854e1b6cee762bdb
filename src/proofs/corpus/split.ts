/** Texts, and the messages that they become. */
import type { Markup } from '../../channels/markup.ts';
import { partsForLead } from '../../conversations/partsForLead.ts';
import split from '../../conversations/split.corpus.json' with { type: 'json' };
import { type CorpusFile, corpusOf } from './corpus.ts';

interface SplitCase {
  readonly kind: string;
  readonly language?: string;
  readonly input: string;
  readonly parts: readonly string[];
  /** By default that of Telegram. */
  readonly limit?: number;
  readonly markup?: string;
  readonly paragraphs?: boolean;
  /** A model wrote it. */
  readonly markdown?: boolean;
}

const TELEGRAM_LIMIT = 4096;
const file: CorpusFile<SplitCase> = split;

const joined = (parts: readonly string[]): string => parts.join('\n--------\n');

export const SPLIT = corpusOf(
  'split',
  file,
  ({ input, parts, limit = TELEGRAM_LIMIT, markup = 'whatsapp', paragraphs = true, markdown = false }) => ({
    input,
    expected: joined(parts),
    actual: joined(
      partsForLead(
        { text: input, isMarkdown: markdown, split: paragraphs },
        { driver: { textLimit: () => limit, markupOf: () => markup as Markup }, type: 'whatsapp' },
      ),
    ),
  }),
);
