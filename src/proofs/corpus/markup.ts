/** What models write, and what the lead sees of it: with WhatsApp's markup, and as plain text. */

import type { Markup } from '../../channels/markup.ts';
import markup from '../../conversations/markup.corpus.json' with { type: 'json' };
import { toLeadText } from '../../conversations/markup.ts';
import { type Corpus, type CorpusFile, corpusOf } from './corpus.ts';

interface MarkupCase {
  readonly kind: string;
  readonly language?: string;
  readonly input: string;
  readonly whatsapp: string;
  readonly plain: string;
}

const file: CorpusFile<MarkupCase> = markup;

const corpusFor = (name: string, messenger: Markup): Corpus =>
  corpusOf(name, file, (one) => ({
    input: one.input,
    expected: one[messenger],
    actual: toLeadText(one.input, messenger),
  }));

export const MARKUP_ON_WHATSAPP = corpusFor('markup on WhatsApp', 'whatsapp');
export const MARKUP_AS_PLAIN_TEXT = corpusFor('markup as plain text', 'plain');
