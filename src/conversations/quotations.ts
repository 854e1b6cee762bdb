/** Checks the quotations of a model's summary: what nobody wrote is left out. Pure. */
import type { DialogueSummary } from './handOverContract.ts';

/** A message of the lead, as it is stored. */
export interface QuotableMessage {
  readonly id: number;
  readonly text: string;
}

/** Nothing else counts as the same: not punctuation, and not spelling. */
const normalize = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim().toLowerCase();

/** Whether a passage is in a text, which is normalised already: there are many passages, and few texts. */
function occursIn(normalized: string, quoted: string): boolean {
  const wanted = normalize(quoted);
  return wanted !== '' && normalized.includes(wanted);
}

/** A passage in quotation marks. A mark between two letters is an apostrophe. */
const QUOTED =
  /"([^"]*)"|“([^”]*)”|„([^“”]*)[“”]|«([^»]*)»|(?<![\p{L}\p{N}])['‘‚]((?:[^'‘’]|(?<=\p{L})['’](?=\p{L}))*)['’](?![\p{L}\p{N}])/gu;
/** A mark that begins or ends a quotation. */
const DOUBLE_MARK = /["“”„«»]/u;
/** Each quotation is sought in all messages: a line with more marks than this is no summary. */
const MARK = /["“”„«»'‘’‚]/gu;
const MOST_MARKS = 100;

/** Return what a line quotes; null if its quotation marks do not match up. */
function quotedIn(line: string): string[] | null {
  if ((line.match(MARK)?.length ?? 0) > MOST_MARKS) return null;
  const quoted = [...line.matchAll(QUOTED)].map((match) => match.slice(1).find((one) => one !== undefined) ?? '');
  return DOUBLE_MARK.test(line.replaceAll(QUOTED, '')) ? null : quoted;
}

/**
 * Leave out each quotation that is not in the message of the lead that it names, and each line that quotes what is in
 * none of them.
 */
export function checkQuotations(summary: DialogueSummary, fromLead: readonly QuotableMessage[]): DialogueSummary {
  const byId = new Map(fromLead.map(({ id, text }) => [id, normalize(text)]));
  const wasWritten = (quoted: string) => byId.values().some((text) => occursIn(text, quoted));
  return {
    lines: summary.lines.filter((line) => quotedIn(line)?.every(wasWritten) ?? false),
    quotes: summary.quotes.filter(({ message_id: id, text }) => occursIn(byId.get(id) ?? '', text)),
  };
}
