/**
 * What the console may weigh. A build in which anything weighs more fails, so that weight is taken on knowingly: whoever
 * raises a figure says in the same commit what for.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Kilobytes (1,000 bytes), gzipped: scripts and styles of a first view, without fonts. */
const BUDGET = {
  /** The sign-in page, for somebody who has never been here: a document of its own. */
  login: 110,
  /**
   * The list of leads, where most operators begin, opened by its address. The assistant's tools for leads and views, the
   * buttons for selected rows, forms and the export are loaded later. [260 before
   * buttons kept the focus while busy, columns shared their room, changes by one key could be undone, and templates and credentials were checked]
   */
  list: 276,
  /**
   * Any page of the console, opened by its address. What it loads later, an editor say, is not counted. [374 before the same]
   */
  page: 382,
  /**
   * Insights, its attempts and its report. Charts are loaded once their rows are there.
   */
  insights: 324,
} as const;

const LIST = 'LeadsPage';
const INSIGHTS = ['InsightsPage', 'AttemptsPage', 'ReportPage'];

function budgetOf(name: string): number {
  if (name === 'login') return BUDGET.login;
  if (INSIGHTS.includes(name)) return BUDGET.insights;
  return name === LIST ? BUDGET.list : BUDGET.page;
}

interface Weight {
  readonly name: string;
  /** Bytes, gzipped. */
  readonly bytes: number;
  readonly files: number;
}

interface Chunk {
  readonly name: string;
  readonly code: string;
  readonly imports: readonly string[];
  readonly styles: readonly string[];
  readonly isPage: boolean;
  readonly isEntry: boolean;
}

/** Weighs what the first view of the sign-in page and of each page consists of, heaviest first. */
function weigh(chunks: ReadonlyMap<string, Chunk>, styles: ReadonlyMap<string, string | Uint8Array>): Weight[] {
  const gzipped = new Map<string, number>();
  const sizeOf = (file: string): number => {
    const known = gzipped.get(file);
    if (known !== undefined) return known;
    const size = gzipSync(chunks.get(file)?.code ?? styles.get(file) ?? '', { level: 9 }).byteLength;
    gzipped.set(file, size);
    return size;
  };
  const entry = (name: string): string[] =>
    [...chunks].filter(([, one]) => one.isEntry && one.name === name).map(([file]) => file);
  const weightOf = (name: string, roots: readonly string[]): Weight => {
    const files = new Set<string>();
    const waiting = [...roots];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (files.has(file)) continue;
      files.add(file);
      const chunk = chunks.get(file);
      for (const one of chunk?.styles ?? []) files.add(one);
      waiting.push(...(chunk?.imports ?? []));
    }
    return { name, bytes: [...files].reduce((sum, file) => sum + sizeOf(file), 0), files: files.size };
  };
  const pages = [...chunks].filter(([, one]) => one.isPage);
  return [
    weightOf('login', entry('login')),
    ...pages.map(([file, { name }]) => weightOf(name, [...entry('console'), file])).sort((a, b) => b.bytes - a.bytes),
  ];
}

/** Refuses a build that is over its budget, and leaves the weights beside it for the benchmark. */
export function budget(): Plugin {
  let [outDir, found] = ['', ''];
  return {
    name: 'budget',
    apply: 'build',
    configResolved: (config) => {
      outDir = config.build.outDir;
    },
    generateBundle(_options, bundle) {
      const chunks = new Map<string, Chunk>();
      const styles = new Map<string, string | Uint8Array>();
      for (const [file, one] of Object.entries(bundle)) {
        if (one.type === 'asset') styles.set(file, one.source);
        else
          chunks.set(file, {
            name: one.name,
            code: one.code,
            imports: one.imports,
            styles: [...(one.viteMetadata?.importedCss ?? [])],
            isPage: one.isDynamicEntry && one.name.endsWith('Page'),
            isEntry: one.isEntry,
          });
      }
      const weights = weigh(chunks, styles);
      const over = weights.flatMap(({ name, bytes, files }) => {
        const allowed = budgetOf(name);
        return bytes > allowed * 1000
          ? [`${name}: ${(bytes / 1000).toFixed(1)} KB gzipped in ${files} files, allowed are ${allowed}`]
          : [];
      });
      if (weights.length < 20) this.error(`The budget saw ${weights.length} pages only: it no longer finds them.`);
      if (over.length > 0) this.error(`Over the budget of budget.ts:\n${over.join('\n')}`);
      found = JSON.stringify({ budget: BUDGET, weights });
    },
    // Beside the console, not in it: nobody is to ask for it.
    closeBundle: () => writeFileSync(join(outDir, '../weights.json'), found),
  };
}
