/** Makes messages of a text: what the lead sees, one message after another. Both engines send what it returns. */
import type { ChannelType } from '../channels/contract.ts';
import type { Driver } from '../channels/driver.ts';
import { withSignsShown } from './markup/whatsapp.ts';
import { writeForLead } from './markup.ts';
import { type ChannelDelay, delaySeconds } from './message.ts';
import { splitText } from './splitText.ts';

interface TextForLead {
  readonly text: string;
  /** A model wrote it, in Markdown. */
  readonly isMarkdown: boolean;
  /** Whether blank lines begin a new message. */
  readonly split: boolean;
}

interface Sender {
  readonly driver: Pick<Driver, 'markupOf' | 'textLimit'>;
  readonly type: ChannelType;
}

/** Return the messages that a text becomes on a channel. */
export function partsForLead({ text, isMarkdown, split }: TextForLead, { driver, type }: Sender): string[] {
  const markup = driver.markupOf(type);
  const written = isMarkdown ? writeForLead(text, markup) : { text, headings: [] };
  const parts = splitText(written.text, {
    limit: driver.textLimit(type),
    paragraphs: split,
    markup,
    headings: written.headings,
  });
  return isMarkdown ? parts.map((part) => withSignsShown(part, markup)) : parts;
}

/** Return the seconds after the first at which each part leaves. Nobody waits for what is `sentAtOnce`: its first part is not typed. */
export function secondsOfParts(
  parts: readonly string[],
  { link, sentAtOnce }: { readonly link: ChannelDelay | undefined; readonly sentAtOnce: boolean },
): number[] {
  let seconds = 0;
  return parts.map((part, index) => {
    if (index > 0 || !sentAtOnce) seconds += delaySeconds(part, link);
    return seconds;
  });
}
