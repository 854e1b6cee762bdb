/** Writes what came of each answer of a model server into `bench/MODEL_SERVERS.md`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readServerRows, type ServerRow } from './modelServers.ts';

const FILE = join(import.meta.dirname, '../../../bench/MODEL_SERVERS.md');
const NAMES = { chatgpt: 'OpenAI', gemini: 'Gemini', anthropic: 'Anthropic' } as const;

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ');

function line({ case: one, what, report, ours, theirs }: ServerRow): string {
  const wire = one.vendor === 'gemini' || one.vendor === 'anthropic' ? NAMES[one.vendor] : NAMES.chatgpt;
  const tokens = /(\d+ \+ \d+) tokens/.exec(ours)?.[1] ?? '';
  const isFailure = /^(?:final|later|asked again): /.test(ours);
  const read = isFailure ? '' : ours.replace(/, \d+ \+ \d+ tokens/, '');
  const packageReads = theirs === null ? '' : theirs === ours ? 'the same' : theirs;
  const source = report === undefined ? '' : `[${report.replace('https://github.com/', '')}](${report})`;
  const cells = [wire, String(one.status ?? 200), what, read, isFailure ? ours : '', tokens, packageReads];
  return `| ${[...cells.map(cell), source].join(' | ')} |`;
}

export async function writeServerTable(): Promise<void> {
  const rows = await readServerRows();
  const same = rows.filter(({ ours, theirs }) => theirs === ours).length;
  const text = `# What model servers send

${rows.length} answers over the three wires, each written after a public report where one is named. \`npm run corpus -- --table\` writes this file; \`npm run corpus\` compares each row with what is expected. *Final*: an operator has to change something. *Asked again*: at once, at most three times. The vendors' own packages read ${same} of them in the same way; what they read otherwise, or not at all, is in their column (it is empty where the row is about requests). \`5 + 2\`: tokens counted of request and answer.

| wire | status | what comes | what is read | what the operator is told | counted | the vendor's package | report |
|---|---|---|---|---|---|---|---|
${rows.map(line).join('\n')}
`;
  writeFileSync(FILE, text);
  process.stdout.write(`${rows.length} rows in bench/MODEL_SERVERS.md\n`);
}
