// Checks the structure of the code: the dependency rule, cycles, sizes, and the words of docs/glossary.json. `npm run
// check` fails on what the rule refuses; run directly, this script prints the figures.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript6';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');

/** Modules in order; a module may import only those before it. */
const MODULES = [
  'platform',
  'jobs',
  'access',
  'companies',
  'products',
  'prompts',
  'leads',
  'channels',
  'llm',
  'experiments',
  'engine',
  'conversations',
  'inbox',
  'outbox',
  'live',
  'webhooks',
  'desk',
  'outreach',
  'crm',
  'outcomes',
  'studio',
  'monitoring',
  'assistant',
  'guide',
];
/** Not in production: neither a server nor the console loads anything of them, save for what `loadSandbox.ts` does in a sandbox. */
const NOT_IN_PRODUCTION = ['sandbox', 'testing', 'proofs'];
/** May import every module, and is imported by none. */
const TOP = [
  ...NOT_IN_PRODUCTION,
  'app.ts',
  'app.test.ts',
  'production.test.ts',
  'scopes.ts',
  'loadSandbox.ts',
  'loadSandbox.test.ts',
  'main.ts',
];
/** Stores that modules to the right may use: the rows of a noun, which one transaction changes with their own. */
const PUBLIC_STORES = [
  'jobs/store/dueWork.ts',
  'jobs/store/rateLimit.ts',
  'access/store/sessions.ts',
  'leads/store.ts',
  'leads/store/crmLeads.ts',
  'leads/store/humanOwner.ts',
  'leads/store/identities.ts',
  'leads/store/optOuts.ts',
  'leads/store/plans.ts',
  'leads/store/suppressedAddresses.ts',
  'channels/store.ts',
  'channels/store/ownership.ts',
  'prompts/store/ofProduct.ts',
  'llm/store/costs.ts',
  'llm/store/withinBudget.ts',
  'experiments/store/assignments.ts',
  'conversations/store/attention.ts',
  'conversations/store/chats.ts',
  'conversations/store/columns.ts',
  'conversations/store/conversation.ts',
  'conversations/store/dialogues.ts',
  'conversations/store/handBack.ts',
  'conversations/store/messages.ts',
  'conversations/store/tables.ts',
  'conversations/store/unprocessed.ts',
  'conversations/store/views.ts',
  'inbox/store/deliveryPolling.ts',
  'inbox/store/items.ts',
  'webhooks/store/wanted.ts',
];
/** Private files of a module. */
const PRIVATE = /^(?:store(?:\.ts|\/)|routes\.ts|jobs\.ts)/;
/** Files of the platform that also run in the browser. */
const SHARED = [
  'platform/backoff.ts',
  'platform/confirmable.ts',
  'platform/contract.ts',
  'platform/csv.ts',
  'platform/statusText.ts',
  'platform/validationMessages.ts',
  'platform/crud.ts',
  'platform/lineEndings.ts',
  'platform/numericText.ts',
  'platform/refuse.ts',
  'platform/endpointUrl.ts',
  'platform/lineEndings.ts',
  'platform/rowVersion.ts',
  'platform/backgroundHeader.ts',
  'platform/zones.ts',
  'platform/markdown/emphasis.ts',
  'platform/markdown/parse.ts',
  'platform/markdown/text.ts',
];
/** Rules that server and browser share; they import nothing that a contract may not import. */
const RULES = [
  'desk/views.ts',
  'leads/addressRefusal.ts',
  'leads/personOptOut.ts',
  'channels/markup.ts',
  'conversations/markup/whatsapp.ts',
  'leads/lead.ts',
  'leads/personOptOut.ts',
  'desk/pushMessageContract.ts',
  'desk/quietHours.ts',
  'outreach/schedule.ts',
  'outreach/sequence.ts',
  'outreach/reason.ts',
  'experiments/arms.ts',
  'outcomes/experimentGuards.ts',
  'outcomes/experimentSentences.ts',
  'outcomes/experimentStatistics.ts',
  'outcomes/funnel.ts',
  'outcomes/statistics/groupSequential.ts',
  'outcomes/statistics/normal.ts',
  'outcomes/statistics/proportions.ts',
  'prompts/activePrompts.ts',
  'prompts/templateErrors.ts',
  'prompts/templateExpression.ts',
];
/** Files that may execute SQL: stores, and the database's own code in the platform. */
const MAY_EXECUTE_SQL = /^platform\/|^engine\/postgres\/|\/store(?:\.ts|\/)/;
const EXECUTES_SQL = /\bsql(?:<[^`]*>)?`|(?:\bclient|[pP]ool)\.query[<(]/;
/** Written by `npm run schema`: of any size. */
const GENERATED = ['platform/postgres/rows.ts'];
const MOST_LINES = 330;
const LONGEST_FUNCTION = 80;
const MOST_PARAMETERS = 3;

/** @typedef {{ path: string, source: import('typescript6').SourceFile, codeLines: number, imports: string[] }} File */

/** @returns {File[]} */
function sourceFiles() {
  return readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => {
      const absolute = join(entry.parentPath, entry.name);
      const path = relative(SOURCES, absolute);
      const text = readFileSync(absolute, 'utf8');
      const source = ts.createSourceFile(absolute, text, ts.ScriptTarget.Latest, true);
      return { path, source, codeLines: codeLinesOf(text), imports: importsOf(path, text) };
    })
    .sort((one, other) => one.path.localeCompare(other.path));
}

/** @param {string} text */
function codeLinesOf(text) {
  return text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\*|\/\*)/.test(line)).length;
}

/**
 * List the files of `src` that a file imports, types included.
 *
 * @param {string} path
 * @param {string} text
 */
function importsOf(path, text) {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g)].map(([, target = '']) =>
    relative(SOURCES, resolve(SOURCES, dirname(path), target)),
  );
}

/** @param {string} path */
const isTest = (path) => /\.test\.tsx?$/.test(path);
/** @param {string} inside the path within its module */
const isContract = (inside) => /^(?:\w+C|c)ontract\.ts$/.test(inside);

function ruleFaults() {
  const found = [];
  for (const file of files) {
    const { path, source, codeLines, imports } = file;
    found.push(...functionFaults(file));
    if (partOf(path) === 'product' && !MAY_EXECUTE_SQL.test(path) && EXECUTES_SQL.test(source.text))
      found.push(`src/${path} executes SQL: move the statement to the module's store`);
    if (codeLines > MOST_LINES && !isTest(path) && !GENERATED.includes(path))
      found.push(`src/${path} has ${codeLines} code lines: split it by meaning`);
    for (const target of imports) {
      const refusal = refusalOf(path, target);
      if (refusal) found.push(`src/${path} imports src/${target}: ${refusal}`);
    }
  }
  return found;
}

/**
 * Find functions that are too long. In the product, also those with too many parameters.
 *
 * @param {File} file
 */
function functionFaults(file) {
  const found = [];
  for (const { path, name, lines, parameters } of functionsOf(file)) {
    if (lines > LONGEST_FUNCTION) found.push(`src/${path}: ${name} has ${lines} lines: split it by meaning`);
    if (parameters > MOST_PARAMETERS && partOf(path) === 'product')
      found.push(`src/${path}: ${name} has ${parameters} parameters: pass an object`);
  }
  return found;
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {string | null} why this import is not allowed
 */
function refusalOf(from, to) {
  if (to.startsWith('..')) return 'outside the sources';
  const [module = '', ...rest] = from.split('/');
  const [target = '', ...parts] = to.split('/');
  const inside = parts.join('/');
  if (RULES.includes(from) && ![...SHARED, ...RULES].includes(to) && !isContract(inside))
    return 'it runs in the browser too';
  if (NOT_IN_PRODUCTION.includes(target)) {
    const isOutside = NOT_IN_PRODUCTION.includes(module) || isTest(from);
    if (!isOutside && from !== 'loadSandbox.ts') return 'it is no part of production';
    if (target === 'testing') return null;
  }
  if (module === 'ui') return target === 'ui' || SHARED.includes(to) ? null : 'components know no module';
  if (module === 'console') {
    const isOpen = ['console', 'ui'].includes(target) || SHARED.includes(to) || isContract(inside);
    return isOpen || inside.startsWith('pages/') ? null : 'the console sees pages, contracts and components';
  }
  if (rest[0] === 'pages') {
    if (target === module && (parts[0] === 'pages' || isTest(from))) return null;
    if (target === 'ui' || SHARED.includes(to) || RULES.includes(to) || isContract(inside)) return null;
    if (inside.startsWith('pages/shared/')) return null;
    return 'pages see their module’s pages, contracts, components, and what other pages share';
  }
  // Journeys may import the console to learn which pages exist, so that none is forgotten.
  if (module === 'proofs' && isTest(from) && target === 'console') return null;
  // A corpus judges what reads files in the browser.
  if (from.startsWith('proofs/corpus/') && parts[0] === 'pages') return null;
  if (['ui', 'console'].includes(target) || parts[0] === 'pages') return 'the server knows no page';
  if (TOP.includes(module) || (isTest(from) && MODULES.includes(module))) return null;
  if (!MODULES.includes(module)) return `${module} is not a module`;
  if (TOP.includes(target)) return 'nothing imports the composition root';
  if (MODULES.indexOf(target) > MODULES.indexOf(module)) return `${module} may not depend on ${target}`;
  if (target !== module && PRIVATE.test(inside) && !PUBLIC_STORES.includes(to)) return `${target} keeps it to itself`;
  return null;
}

/** Find groups of files that import each other, types included (Tarjan's algorithm). */
function cycles() {
  const byPath = new Map(files.map((file) => [file.path, file.imports]));
  /** @type {Map<string, { index: number, low: number, isOpen: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {string[][]} */
  const groups = [];
  /** @param {string} path */
  const visit = (path) => {
    const node = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(path, node);
    stack.push(path);
    for (const target of byPath.get(path) ?? []) {
      if (!byPath.has(target)) continue;
      const other = seen.get(target) ?? visit(target);
      if (other.isOpen) node.low = Math.min(node.low, other.low);
    }
    if (node.low === node.index) {
      const group = stack.splice(stack.indexOf(path));
      for (const member of group) {
        const entry = seen.get(member);
        if (entry) entry.isOpen = false;
      }
      if (group.length > 1 || byPath.get(path)?.includes(path)) groups.push(group);
    }
    return node;
  };
  for (const { path } of files) if (!seen.has(path)) visit(path);
  return groups;
}

/** List names of variables, functions and types that the glossary replaces. Columns (`snake_case`) are skipped. */
function wordFaults() {
  // Columns, aliases and wire fields keep their names.
  const isException = new Set(glossary().exceptions);
  const names = new Map(Object.entries(glossary().names));
  const words = new Map(Object.entries(glossary().words));
  /** @param {string} name */
  const replacement = (name) =>
    names.get(name) ??
    wordsOf(name)
      .map((word) => words.get(word))
      .find((one) => one !== undefined);
  /** @type {string[]} */
  const found = [];
  for (const { path, source } of files)
    for (const { name, line } of namesIn(source)) {
      if (name.includes('_')) continue;
      const better = isException.has(`src/${path} ${name}`) ? undefined : replacement(name);
      if (better !== undefined) found.push(`src/${path}:${line} ${name}: better: ${better}`);
    }
  return found;
}

/** Count the comments with a phrase that the glossary replaces. */
function proseCount() {
  const patterns = glossary().prose.map(
    (/** @type {[string, string]} */ [pattern]) => new RegExp(`\\b(?:${pattern})\\b`, 'i'),
  );
  return files
    .flatMap(({ source }) => source.text.split('\n'))
    .map((line) => /(?:^|\s)(?:\/\/|\/?\*)(.*)$/.exec(line)?.[1])
    .filter((comment) => comment !== undefined && patterns.some((/** @type {RegExp} */ one) => one.test(comment)))
    .length;
}

/** @returns {{ exceptions: string[], names: Record<string, string>, words: Record<string, string>, prose: [string, string][] }} */
function glossary() {
  return JSON.parse(readFileSync(join(ROOT, 'docs/glossary.json'), 'utf8'));
}

/** @param {string} name */
function wordsOf(name) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[\s_$]+/)
    .map((word) => word.toLowerCase());
}

/**
 * List the names that a file declares.
 *
 * @param {import('typescript6').SourceFile} source
 */
function namesIn(source) {
  /** @type {{ name: string, line: number }[]} */
  const found = [];
  /** @param {import('typescript6').Node} node */
  const visit = (node) => {
    // The fields of a query's row are named by its SQL.
    const isRowType = ts.isTypeLiteralNode(node) && isTypeArgument(node);
    if (isRowType) return;
    if (isNamed(node) && ts.isIdentifier(node.name)) {
      const { line } = source.getLineAndCharacterOfPosition(node.name.getStart(source));
      found.push({ name: node.name.text, line: line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * @param {import('typescript6').Node} node
 * @returns {node is import('typescript6').VariableDeclaration}
 */
function isNamed(node) {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isBindingElement(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isClassDeclaration(node)
  );
}

/** @param {import('typescript6').Node} node */
function isTypeArgument(node) {
  return ts.isCallExpression(node.parent) || ts.isTaggedTemplateExpression(node.parent);
}

/** @param {string} path */
function partOf(path) {
  if (path.startsWith('sandbox/')) return 'sandbox';
  if (path.startsWith('proofs/')) return 'proofs';
  if (isTest(path) || path.startsWith('testing/')) return 'tests';
  return 'product';
}

function printFigures() {
  const parts = new Map([
    ['product', 0],
    ['tests', 0],
    ['proofs', 0],
    ['sandbox', 0],
  ]);
  for (const { path, codeLines } of files) parts.set(partOf(path), (parts.get(partOf(path)) ?? 0) + codeLines);
  const all = [...parts.values()].reduce((sum, lines) => sum + lines, 0);
  const functions = files.flatMap(functionsOf).sort((one, other) => other.lines - one.lines);
  const product = files
    .filter(({ path }) => partOf(path) === 'product' && !GENERATED.includes(path))
    .sort((a, b) => b.codeLines - a.codeLines);
  const rows = [
    ['files', files.length],
    ['code lines', all],
    ...[...parts].map(([part, lines]) => [`  ${part}`, `${lines} (${((lines / all) * 100).toFixed(1)} %)`]),
    [
      'median / biggest file of the product',
      `${middleOf(product.map((one) => one.codeLines))} / ${product[0]?.codeLines} (src/${product[0]?.path})`,
    ],
    [
      'median / longest function',
      `${middleOf(functions.map((one) => one.lines))} / ${functions[0]?.lines} (src/${functions[0]?.path}, ${functions[0]?.name})`,
    ],
    ['comments with words that the glossary replaces', proseCount()],
    ['errors: imports, SQL outside stores, names', faults.length],
  ];
  for (const [name, value] of rows) console.log(`${String(name).padEnd(40)} ${value}`);
}

/** @param {number[]} sorted */
const middleOf = (sorted) => sorted[Math.floor(sorted.length / 2)] ?? 0;

/**
 * List functions and components with their number of lines; callbacks of tests are not counted.
 *
 * @param {File} file
 */
function functionsOf({ path, source }) {
  /** @type {{ path: string, name: string, lines: number, parameters: number }[]} */
  const found = [];
  /** @param {import('typescript6').Node} node */
  const visit = (node) => {
    const isFunction =
      ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isFunctionExpression(node) ||
      ts.isArrowFunction(node);
    if (isFunction && node.body) {
      const from = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const to = source.getLineAndCharacterOfPosition(node.end).line;
      const name =
        node.name?.getText(source) ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name.getText(source) : '');
      if (name !== '') found.push({ path, name, lines: to - from + 1, parameters: node.parameters.length });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const files = sourceFiles();
const faults = [...ruleFaults(), ...cycles().map((group) => `cycle of imports: ${group.join(' → ')}`), ...wordFaults()];
if (files.length < 100) faults.push(`only ${files.length} files were read: the check itself is broken`);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
printFigures();
