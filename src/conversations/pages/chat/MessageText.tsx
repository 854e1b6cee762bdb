/** The text of a message as the messenger shows it: WhatsApp's markup as React nodes, and every sign where there is none. */
import { Fragment, memo, type ReactNode } from 'react';
import type { Markup } from '../../../channels/markup.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import { findWhatsAppSpans, type Range, type WhatsAppSpan } from '../../markup/whatsapp.ts';
import classes from './chat.module.css';

export const MessageText = memo(function MessageText({ text, markup }: { text: string; markup: Markup }) {
  // Most messages have no markup.
  if (markup === 'plain' || !/[*_~`]|^> /m.test(text)) return <PlainText text={text} />;
  const spans = findWhatsAppSpans(text);
  return quotedParts(text, spans).map(({ isQuote, start, end }) =>
    isQuote ? (
      <blockquote key={start} className={classes.quoted}>
        {formatted(text, { start: start + 2, end }, spans)}
      </blockquote>
    ) : (
      <Fragment key={start}>{formatted(text, { start, end }, spans)}</Fragment>
    ),
  );
});

/** Separate the lines that begin with `> ` from the text around them. A line break beside such a line is part of its edge. */
function quotedParts(text: string, spans: readonly WhatsAppSpan[]): (Range & { readonly isQuote: boolean })[] {
  const parts: (Range & { readonly isQuote: boolean })[] = [];
  let at = 0;
  for (const { 0: line, index } of text.matchAll(/^> .*$/gm)) {
    if (spans.some(({ mark, start, end }) => mark === '```' && index > start && index < end)) continue;
    const before = Math.max(at, text[index - 1] === '\n' ? index - 1 : index);
    if (before > at) parts.push({ isQuote: false, start: at, end: before });
    parts.push({ isQuote: true, start: index, end: index + line.length });
    at = index + line.length + (text[index + line.length] === '\n' ? 1 : 0);
  }
  if (at < text.length) parts.push({ isQuote: false, start: at, end: text.length });
  return parts;
}

function formatted(text: string, { start, end }: Range, spans: readonly WhatsAppSpan[]): ReactNode[] {
  const nodes: ReactNode[] = [];
  let at = start;
  const writeUntil = (place: number): void => {
    if (place > at) nodes.push(<PlainText key={at} text={text.slice(at, place)} />);
  };
  for (const span of spans) {
    if (span.start < at || span.end > end) continue;
    writeUntil(span.start);
    nodes.push(<Fragment key={span.start}>{formattedSpan(text, span)}</Fragment>);
    // A block ends its line itself.
    at = span.end + (isBlock(text, span) && text[span.end] === '\n' ? 1 : 0);
  }
  writeUntil(end);
  return nodes;
}

const isBlock = (text: string, { mark, start, end }: WhatsAppSpan): boolean =>
  mark === '```' && text.slice(start, end).includes('\n');

function formattedSpan(text: string, span: WhatsAppSpan): ReactNode {
  const { mark, start, end, children } = span;
  const content = formatted(text, { start: start + mark.length, end: end - mark.length }, children);
  switch (mark) {
    case '*':
      return <strong>{content}</strong>;
    case '_':
      return <em>{content}</em>;
    case '~':
      return <s>{content}</s>;
    case '`':
    case '```':
      return (
        <code className={classes.code} data-block={isBlock(text, span) || undefined}>
          {trimmedCode(text.slice(start + mark.length, end - mark.length))}
        </code>
      );
    default:
      return mark satisfies never;
  }
}

/** Line breaks right behind the opening marks and before the closing ones are not shown. */
const trimmedCode = (code: string): ReactNode => <PlainText text={code.replace(/^\n|\n$/g, '')} />;
