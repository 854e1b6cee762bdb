/** Renders the guide's Markdown into pages of the product, once, when the console is built. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { GUIDE, guideTopics } from './contract.ts';

/** Name of the guide's first page. */
const INDEX = 'README';
/** Name of the page with all topics: the browser's own search finds everything there. */
const WHOLE = 'all';
const CRUMB = 'Rapport guide';

export interface GuideSource {
  /** The file's name without its extension. */
  readonly slug: string;
  readonly markdown: string;
}

export interface Heading {
  readonly depth: number;
  readonly text: string;
  /** Its fragment in the address. */
  readonly id: string;
}

/** Addresses of the assets that the pages use. */
export interface GuideAssets {
  readonly script: string;
  readonly styles: readonly string[];
  readonly icon: string;
  /** The search index. */
  readonly index: string;
  /** @param name of a picture in `docs/guide/pictures` */
  readonly picture: (name: string) => { readonly url: string; readonly width: number; readonly height: number };
}

/** An entry of the search index. */
interface IndexEntry {
  readonly page: string;
  readonly heading: string;
  readonly url: string;
  readonly text: string;
}

/** Read the files of a folder: the first page first, the others in the guide's order, unlisted ones at the end. */
export function readGuide(folder: string): readonly GuideSource[] {
  const order = [INDEX, ...guideTopics.map(({ slug }) => slug)];
  const place = (slug: string) => (order.includes(slug) ? order.indexOf(slug) : order.length);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => ({ slug: file.slice(0, -3), markdown: readFileSync(join(folder, file), 'utf8') }))
    .sort((one, other) => place(one.slug) - place(other.slug) || one.slug.localeCompare(other.slug));
}

/** List the headings of a text, with ids as GitHub generates them. */
export function headingsOf(markdown: string): readonly Heading[] {
  const counts = new Map<string, number>();
  return new Marked().lexer(markdown).flatMap((token) => {
    if (token.type !== 'heading') return [];
    const { depth, tokens = [] } = token;
    const text = plain(tokens);
    const base = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    const times = counts.get(base) ?? 0;
    counts.set(base, times + 1);
    return [{ depth: Number(depth), text, id: times === 0 ? base : `${base}-${times}` }];
  });
}

/** List the names of all pictures that a text shows, for both colour schemes. */
export function picturesOf(markdown: string): readonly string[] {
  return [...markdown.matchAll(/(?:src|srcset)="pictures\/([^"]+)"/g)].map(([, name]) => name ?? '');
}

/** List the targets of its links, as written. */
export function linksOf(markdown: string): readonly string[] {
  const found: string[] = [];
  const marked = new Marked();
  void marked.walkTokens(marked.lexer(markdown), (token) => {
    if (token.type === 'link') found.push(String(token.href));
  });
  return found;
}

/**
 * Render all pages of the guide.
 * @returns their files by name: `channels.html`, the first one `index.html`
 */
export function renderGuide(sources: readonly GuideSource[], assets: GuideAssets): ReadonlyMap<string, string> {
  const titles = new Map(sources.map((source) => [source.slug, titleOf(source)]));
  const files = new Map<string, string>();
  for (const source of sources) {
    const body = bodyOf({ source, sources, assets, prefix: '' });
    const headings = headingsOf(source.markdown).filter(({ depth }) => depth === 2);
    const slug = source.slug === INDEX ? '' : source.slug;
    files.set(`${slug || 'index'}.html`, frame({ slug, title: titleOf(source), body, headings, titles, assets }));
  }
  const whole = sources
    .filter(({ slug }) => slug !== INDEX)
    .map(
      (source) =>
        `<section id="${source.slug}">${bodyOf({ source, sources, assets, prefix: `${source.slug}-` })}</section>`,
    );
  const headings = sources
    .filter(({ slug }) => slug !== INDEX)
    .map((source) => ({ depth: 2, text: titleOf(source), id: source.slug }));
  files.set(
    `${WHOLE}.html`,
    frame({ slug: WHOLE, title: 'The whole guide', body: whole.join('\n'), headings, titles, assets }),
  );
  return files;
}

/** Build the search index: each section's heading and text. */
export function indexGuide(sources: readonly GuideSource[]): readonly IndexEntry[] {
  return sources.flatMap((source) => {
    const page = titleOf(source);
    const address = addressOf(source.slug);
    const ids = headingsOf(source.markdown)[Symbol.iterator]();
    const entries: { heading: string; url: string; words: string[] }[] = [];
    for (const token of new Marked().lexer(source.markdown)) {
      if (token.type === 'heading') {
        const heading = ids.next().value;
        const top = heading === undefined || heading.depth === 1;
        entries.push({ heading: heading?.text ?? page, url: top ? address : `${address}#${heading.id}`, words: [] });
      } else if (token.type !== 'html') entries.at(-1)?.words.push(plain([token]));
    }
    return entries.map(({ words, ...entry }) => ({
      page,
      ...entry,
      text: words.join(' ').replace(/\s+/g, ' ').trim(),
    }));
  });
}

function titleOf({ slug, markdown }: GuideSource): string {
  const [first] = headingsOf(markdown);
  if (first?.depth !== 1) throw new Error(`docs/guide/${slug}.md does not begin with its title`);
  return first.text;
}

function addressOf(slug: string): string {
  return slug === INDEX ? GUIDE : `${GUIDE}${slug}`;
}

/** @param prefix before the name of each heading, where several texts stand on one page */
function bodyOf({
  source,
  sources,
  assets,
  prefix,
}: {
  source: GuideSource;
  sources: readonly GuideSource[];
  assets: GuideAssets;
  prefix: string;
}): string {
  const slugs = new Set(sources.map(({ slug }) => slug));
  const ids = headingsOf(source.markdown)[Symbol.iterator]();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const id = `${prefix}${ids.next().value?.id ?? ''}`;
        const words = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${words}</h1>\n`;
        return `<h${depth} id="${id}">${words} <a class="here" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        const to = targetOf({ href, slugs, prefix, slug: source.slug });
        return to === null ? words : `<a href="${escape(to)}">${words}</a>`;
      },
      html({ text }) {
        return pictureOf(text, source, assets);
      },
      table(token) {
        return `<div class="table" tabindex="0" role="group" aria-label="Table">${tableOf(token, (cells) => this.parser.parseInline(cells))}</div>\n`;
      },
    },
  });
  return marked.parse(source.markdown, { async: false });
}

/** Convert a link to another file into an address within the product; null when the product does not show that file. */
function targetOf({
  href,
  slugs,
  prefix,
  slug,
}: {
  href: string;
  slugs: ReadonlySet<string>;
  prefix: string;
  slug: string;
}): string | null {
  if (/^https?:/.test(href) || href.startsWith('/')) return href;
  if (href.startsWith('#')) return `#${prefix}${href.slice(1)}`;
  const [, to = '', heading = ''] = /^([\w-]+)\.md(#.+)?$/.exec(href) ?? [];
  if (to === '' || !slugs.has(to)) return null;
  // The page of all topics links to its own sections.
  if (prefix !== '' && to !== INDEX) return heading === '' ? `#${to}` : `#${to}-${heading.slice(1)}`;
  return to === slug && heading !== '' ? heading : `${addressOf(to)}${heading}`;
}

/**
 * Render the only HTML in the guide: a picture for two colour schemes. The page shows that of its own scheme, not the
 * system's.
 */
function pictureOf(html: string, { slug }: GuideSource, assets: GuideAssets): string {
  const [, dark, alt, light] =
    /^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="pictures\/([^"]+)" ?\/?>\s*<img alt="([^"]*)" src="pictures\/([^"]+)" ?\/?>\s*<\/picture>\s*$/.exec(
      html,
    ) ?? [];
  if (dark === undefined || alt === undefined || light === undefined)
    throw new Error(`docs/guide/${slug}.md has HTML that is no picture: ${html}`);
  const image = (name: string, scheme: string) => {
    const { url, width, height } = assets.picture(name);
    return `<a class="${scheme}" href="${url}"><img src="${url}" width="${width}" height="${height}" alt="${alt}" loading="lazy"></a>`;
  };
  return `<figure>${image(light, 'light')}${image(dark, 'dark')}</figure>\n`;
}

function tableOf({ header, rows }: Tokens.Table, inline: (tokens: Tokens.TableCell['tokens']) => string): string {
  const row = (cells: readonly Tokens.TableCell[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell.tokens)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${row(header, 'th')}</thead><tbody>${rows.map((cells) => row(cells, 'td')).join('')}</tbody></table>`;
}

interface Framed {
  readonly slug: string;
  readonly title: string;
  readonly body: string;
  readonly headings: readonly Heading[];
  readonly titles: ReadonlyMap<string, string>;
  readonly assets: GuideAssets;
}

function frame({ slug, title, body, headings, titles, assets }: Framed): string {
  const entries = [...titles].map(([one, name]) => {
    const here = one === (slug || INDEX);
    return `<li><a href="${addressOf(one)}"${here ? ' aria-current="page"' : ''}>${escape(name)}</a></li>`;
  });
  const places = headings.map(({ id, text }) => `<li><a href="#${id}">${escape(text)}</a></li>`);
  const name = slug === '' ? CRUMB : `${title} · ${CRUMB}`;
  return `<!doctype html>
<html lang="en" data-mantine-color-scheme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(name)}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<script src="/assets/scheme-1.js"></script>
${assets.styles.map((url) => `<link rel="stylesheet" href="${url}">`).join('\n')}
<script type="module" src="${assets.script}"></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="name" href="${GUIDE}">${CRUMB}</a>
<a class="to-pages" href="#pages">All pages</a>
<a href="/">Open the console</a>
</header>
<div class="columns">
<main id="text" tabindex="-1">
${body}</main>
${places.length < 2 ? '' : `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${places.join('')}</ul></nav>`}
<nav id="pages" class="pages" aria-label="Pages of the guide">
<search><input type="search" placeholder="Search the guide" aria-label="Search the guide" data-index="${assets.index}"><ul class="found" aria-label="Found" aria-live="polite" hidden></ul></search>
<ul>${entries.join('')}<li><a href="${GUIDE}${WHOLE}"${slug === WHOLE ? ' aria-current="page"' : ''}>The whole guide on one page</a></li></ul>
</nav>
</div>
</body>
</html>
`;
}

/** Return the text without its formatting marks. */
function plain(tokens: readonly { type: string; raw?: string; text?: string }[]): string {
  const words: string[] = [];
  for (const token of tokens) {
    if ('tokens' in token && Array.isArray(token.tokens) && token.tokens.length > 0) words.push(plain(token.tokens));
    else if ('items' in token && Array.isArray(token.items))
      words.push(token.items.map((one) => plain([one])).join(' '));
    else if ('rows' in token && 'header' in token && Array.isArray(token.rows) && Array.isArray(token.header))
      words.push([token.header, ...token.rows].map((cells) => plain(cells)).join(' '));
    else words.push(unescape(token.text ?? ''));
  }
  return words.join(tokens.some(({ type }) => type === 'paragraph' || type === 'list') ? ' ' : '');
}

/** The renderer's text may contain characters that it has escaped already. */
function unescape(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => SIGNS[name] ?? whole);
}

const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }[sign] ?? ''};`);
}
