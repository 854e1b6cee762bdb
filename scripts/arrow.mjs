// The import arrow: a room leans only leftward, sees of its neighbours only their open faces, and the browser's half
// stays apart from the server's. Run by `npm run check`.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const SOURCES = resolve(import.meta.dirname, '../src');
const ROOMS = [
  'platform',
  'jobs',
  'operators',
  'companies',
  'products',
  'prompts',
  'leads',
  'channels',
  'llm',
  'chatbot',
  'dialogues',
  'outreach',
  'crm',
  'reports',
  'assistant',
  'guide',
];
/** The roof: whatever stands here may look into every room. */
const ROOF = [
  'sandbox',
  'testing',
  'journeys',
  'bench',
  'chaos',
  'load',
  'simulate',
  'sabotage',
  'attack',
  'house.ts',
  'scopes.ts',
  'main.ts',
  'house.test.ts',
];
/** What a room keeps to itself. */
const PRIVATE = /^(?:store(?:\.ts|\/)|routes\.ts|jobs\.ts)/;
/** Files of the ground floor that run in the browser too. */
const SHARED = [
  'platform/contract.ts',
  'platform/csv.ts',
  'platform/statusText.ts',
  'platform/wording.ts',
  'platform/crud.ts',
  'platform/numericText.ts',
  'platform/refuse.ts',
  'platform/rowVersion.ts',
  'platform/zones.ts',
];
/** Nouns whose rules both halves use; they lean on nothing that a contract may not lean on. */
const NOUNS = ['outreach/schedule.ts', 'outreach/pingSteps.ts', 'outreach/why.ts', 'prompts/inUse.ts'];
const MOST_LINES = 300;
const FEWEST_FILES = 100;

/** @type {string[]} */
const wrong = [];
const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => relative(SOURCES, join(entry.parentPath, entry.name)));

for (const file of files) {
  const text = readFileSync(join(SOURCES, file), 'utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s*(?:\/\/|\*|\/\*)/.test(line)).length;
  if (lines > MOST_LINES && !/\.test\.tsx?$/.test(file)) wrong.push(`${file} has ${lines} code lines: it is two files`);
  for (const [, target] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
    if (target === undefined || !/\.(?:tsx?)$/.test(target)) continue;
    const to = relative(SOURCES, resolve(SOURCES, dirname(file), target));
    const why = refusal(file, to);
    if (why) wrong.push(`${file} imports ${to}: ${why}`);
  }
}

if (files.length < FEWEST_FILES) wrong.push(`only ${files.length} files were seen: the check itself is broken`);
if (wrong.length > 0) {
  console.error(wrong.join('\n'));
  process.exitCode = 1;
} else {
  console.log(`${files.length} files keep the arrow`);
}

/** @param {string} face */
function isContract(face) {
  return /^(?:\w+C|c)ontract\.ts$/.test(face);
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {string | null} why this import is not allowed
 */
function refusal(from, to) {
  if (to.startsWith('..')) return 'outside the sources';
  const [room = '', ...rest] = from.split('/');
  const [target = '', ...inside] = to.split('/');
  const isTest = /\.test\.tsx?$/.test(from);
  const face = inside.join('/');
  if (NOUNS.includes(from) && !isTest && !SHARED.includes(to) && !isContract(face)) return 'it runs in the browser too';
  if (target === 'testing') return isTest || ROOF.includes(room) ? null : 'only tests live in that world';
  if (room === 'kit') return target === 'kit' || SHARED.includes(to) ? null : 'the kit knows no room';
  if (room === 'console') {
    return target === 'console' ||
      target === 'kit' ||
      SHARED.includes(to) ||
      isContract(face) ||
      face.startsWith('pages/')
      ? null
      : 'the console sees pages, contracts and the kit';
  }
  if (rest[0] === 'pages') {
    if (target === room && inside[0] === 'pages') return null;
    if (target === 'kit' || SHARED.includes(to) || NOUNS.includes(to) || isContract(face)) return null;
    if (isTest && target === room) return null;
    return face.startsWith('pages/') &&
      /^(?:(?:stage|status|promptText|inUse|cost|consequences|LeadPreviews|PreparedButtons)\.tsx|(?:lead|prompt|why)Tools\.ts)$/.test(
        inside[1] ?? '',
      )
      ? null
      : 'pages see their folder, contracts and the kit';
  }
  // A journey knows which pages there are: none may be forgotten.
  if (room === 'journeys' && isTest && target === 'console') return null;
  if (target === 'kit' || target === 'console' || inside[0] === 'pages') return 'the server knows no page';
  if (ROOF.includes(room) || (isTest && ROOMS.includes(room))) return null;
  if (!ROOMS.includes(room)) return `${room} is no room`;
  if (ROOF.includes(target)) return 'the roof is imported by nobody';
  if (ROOMS.indexOf(target) > ROOMS.indexOf(room)) return 'it stands to the right';
  if (target !== room && PRIVATE.test(face)) return `${target} keeps that to itself`;
  return null;
}
