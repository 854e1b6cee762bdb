/** Shows Markdown as React nodes. It brings its parser with it: load it lazily, by `MarkdownText`. */
import { Fragment, type ReactNode } from 'react';
import {
  childrenOf,
  findNode,
  isEmphasis,
  isTable,
  type MarkdownNode,
  parseablePieces,
  parseMarkdown,
  rowsOf,
} from '../platform/markdown/parse.ts';
import { decodeReference, definitionsIn, destinationOf } from '../platform/markdown/text.ts';
import classes from './Markdown.module.css';
import { PlainText } from './PlainText.tsx';

interface Source {
  readonly text: string;
  readonly definitions: ReadonlyMap<string, string>;
}

export default function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      {parseablePieces(text).map((piece, index) => {
        const root = parseMarkdown(piece);
        const source = { text: piece, definitions: definitionsIn(root, piece) };
        return <Fragment key={index}>{blocks(root.children, source, piece)}</Fragment>;
      })}
    </div>
  );
}

/** What only says where blocks begin and end. */
const MARKS = new Set([
  'lineEnding',
  'lineEndingBlank',
  'linePrefix',
  'whitespace',
  'blockQuotePrefix',
  'listItemPrefix',
  'listItemIndent',
  'gfmFootnoteDefinitionLabel',
  'definitionMarker',
  'gfmFootnoteDefinitionWhitespace',
  'gfmFootnoteDefinitionIndent',
]);

/** @param whole the text without markup, shown if nothing of it could be parsed */
function blocks(nodes: readonly MarkdownNode[], source: Source, whole = ''): ReactNode {
  if (nodes.length === 0) return whole.trim() === '' ? null : <p>{plain(whole)}</p>;
  return nodes.flatMap((node) =>
    MARKS.has(node.type) ? [] : [<Fragment key={node.start}>{block(node, source)}</Fragment>],
  );
}

function block(node: MarkdownNode, source: Source): ReactNode {
  switch (node.type) {
    case 'content':
      return blocks(node.children, source);
    case 'paragraph':
      return <p>{inlines(node, source)}</p>;
    case 'atxHeading': {
      const [text] = childrenOf(node, 'atxHeadingText');
      // Not a heading of the page.
      return <p className={classes.heading}>{text ? inlines(text, source) : rawOf(node, source)}</p>;
    }
    case 'thematicBreak':
      return <hr />;
    case 'blockQuote':
      return <blockquote>{blocks(node.children, source)}</blockquote>;
    case 'listOrdered':
    case 'listUnordered':
      return list(node, source);
    case 'codeFenced':
      return <pre tabIndex={0}>{codeOf(node, source)}</pre>;
    case 'table':
      return isTable(node, source.text) ? table(node, source) : <p>{rawOf(node, source)}</p>;
    case 'gfmFootnoteDefinition': {
      const [label] = childrenOf(node, 'gfmFootnoteDefinitionLabel');
      return (
        <div className={classes.footnote}>
          {label && <span>{rawOf(label, source).replace('^', '')}</span>}
          <div>{blocks(node.children, source)}</div>
        </div>
      );
    }
    default:
      return <p>{plain(rawOf(node, source))}</p>;
  }
}

/** A list keeps its items side by side, each behind its mark. */
function list(node: MarkdownNode, source: Source): ReactNode {
  const items: MarkdownNode[][] = [];
  for (const child of node.children) {
    if (child.type === 'listItemPrefix') items.push([child]);
    else items.at(-1)?.push(child);
  }
  const isTight = !node.children.some(({ type }) => type === 'lineEndingBlank');
  const rows = items.map((item) => <li key={item[0]?.start}>{blocks(item, source)}</li>);
  const tight = isTight || undefined;
  if (node.type === 'listUnordered') return <ul data-tight={tight}>{rows}</ul>;
  const start = Number.parseInt(rawOf(node, source), 10);
  return (
    <ol start={Number.isSafeInteger(start) ? start : 1} data-tight={tight}>
      {rows}
    </ol>
  );
}

function table(node: MarkdownNode, source: Source): ReactNode {
  const [head, ...body] = rowsOf(node);
  const cell = (one: MarkdownNode): ReactNode => {
    const [content] = childrenOf(one, 'tableContent');
    return content && inlines(content, source);
  };
  return (
    // What scrolls has to be reached by keyboard.
    <div className={classes.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head?.cells.map((one) => (
              <th key={one.start}>{cell(one)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map(({ row, cells }) => (
            <tr key={row.start}>
              {cells.map((one) => (
                <td key={one.start}>{cell(one)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlines(node: MarkdownNode, source: Source, within: MarkdownNode | null = null): ReactNode {
  return node.children.map((child) => <Fragment key={child.start}>{inline(child, source, within)}</Fragment>);
}

function inline(node: MarkdownNode, source: Source, within: MarkdownNode | null): ReactNode {
  const raw = rawOf(node, source);
  switch (node.type) {
    case 'strong':
    case 'emphasis': {
      const Tag = node.type === 'strong' ? 'strong' : 'em';
      const [inner] = childrenOf(node, `${node.type}Text`);
      if (!inner) return plain(raw);
      const content = inlines(inner, source, inner);
      if (isEmphasis(node, source.text, within)) return <Tag>{content}</Tag>;
      const { start, end } = node;
      return [
        source.text.slice(start, inner.start),
        <Fragment key="in">{content}</Fragment>,
        source.text.slice(inner.end, end),
      ];
    }
    case 'strikethrough': {
      const [inner] = childrenOf(node, 'strikethroughText');
      return <s>{inner && inlines(inner, source, inner)}</s>;
    }
    case 'codeText':
      return <code>{raw.replace(/^(`+)([^]*)\1$/, '$2')}</code>;
    case 'link':
    case 'image':
      return link(node, source);
    case 'autolink':
      return anchor(raw.slice(1, -1), raw.slice(1, -1));
    case 'literalAutolink':
      return anchor(/^www\./i.test(raw) ? `https://${raw}` : raw, raw);
    case 'characterEscape':
      return plain(raw.slice(1));
    case 'characterReference':
      return plain(decodeReference(raw) ?? raw);
    case 'hardBreakEscape':
    case 'linePrefix':
    case 'listItemIndent':
    case 'blockQuotePrefix':
      return null;
    case 'taskListCheck':
      return findNode(node, 'taskListCheckValueChecked') ? '☑' : '☐';
    case 'gfmFootnoteCall':
      return <sup>{raw.replace('^', '')}</sup>;
    default:
      return node.children.length > 0 && node.type !== 'data' ? inlines(node, source, within) : plain(raw);
  }
}

/** A picture is shown as a link, since loading it would tell others that somebody reads this. */
function link(node: MarkdownNode, source: Source): ReactNode {
  const destination = destinationOf(node, source.text, source.definitions);
  const label = findNode(node, 'labelText');
  const name = label ? inlines(label, source) : null;
  return anchor(destination ?? '', name ?? destination ?? '');
}

/** Links lead to pages and mailboxes only, and tell neither where they come from. */
function anchor(destination: string, content: ReactNode): ReactNode {
  const address = /^[\w.+-]+@[\w.-]+$/.test(destination) ? `mailto:${destination}` : destination;
  if (!/^(?:https?:\/\/|mailto:)[^\s]/i.test(address)) return content;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow" title={address}>
      {content}
    </a>
  );
}

function codeOf(node: MarkdownNode, source: Source): string {
  return node.children
    .filter(({ type }) => type === 'codeFlowValue' || type === 'lineEnding')
    .map((one) => rawOf(one, source))
    .join('')
    .replace(/^\r?\n|\r?\n$/g, '');
}

const rawOf = ({ start, end }: MarkdownNode, { text }: Source): string => text.slice(start, end);
const plain = (text: string): ReactNode => <PlainText text={text} />;
