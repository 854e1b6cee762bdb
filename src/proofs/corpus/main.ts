/**
 * `npm run corpus`: print what became of the cases of every corpus, with precision and recall by language and kind. With
 * `-- --with-model` it prints what becomes of requests to stop once a model has answered, and no corpus. With `-- --table`
 * it writes what came of the answers of model servers into `bench/MODEL_SERVERS.md`, and prints no corpus.
 */
import { parseArgs } from 'node:util';
import { CORPORA } from './all.ts';
import { type Corpus, isRight, type Judged, type Score, scoresBy, verdictsOf } from './corpus.ts';
import { judgeWithModels } from './optOutsWithModel.ts';
import { writeServerTable } from './serverTable.ts';

const percent = (share: number | null): string => (share === null ? '-' : `${(share * 100).toFixed(1)} %`);

function printScores(title: string, scores: readonly Score[]): void {
  for (const { name, cases, right } of scores)
    process.stdout.write(`  ${title.padEnd(9)} ${name.padEnd(32)} ${String(right).padStart(4)} of ${cases}\n`);
}

function printVerdicts(title: string, judged: readonly Judged[]): void {
  for (const { verdict, precision, recall } of verdictsOf(judged))
    process.stdout.write(
      `  ${title.padEnd(9)} ${verdict.padEnd(32)} precision ${percent(precision)}, recall ${percent(recall)}\n`,
    );
}

/** Print the verdicts of a corpus, and the cases that got a wrong one. Returns how many these are. */
function printCorpus({ name, isWorst }: Pick<Corpus, 'name' | 'isWorst'>, judged: readonly Judged[]): number {
  process.stdout.write(`\n${name}: ${judged.filter(isRight).length} of ${judged.length}\n`);
  printScores(
    'kind',
    scoresBy(judged, ({ kind }) => kind),
  );
  // Precision and recall say something where a few verdicts are given to many cases.
  const hasVerdicts = new Set(judged.map(({ expected }) => expected)).size <= 6;
  if (hasVerdicts) printVerdicts('all', judged);
  for (const [language, ones] of Map.groupBy(judged, (one) => one.language)) {
    if (language === null) continue;
    printScores('language', [{ name: language, cases: ones.length, right: ones.filter(isRight).length }]);
    if (hasVerdicts) printVerdicts(language, ones);
  }
  const wrong = judged.filter((one) => !isRight(one));
  const [worst = [], others = []] = [true, false].map((is) => wrong.filter((one) => (isWorst?.(one) ?? false) === is));
  for (const one of [...worst, ...others]) {
    const { kind, language, input, expected, actual } = one;
    const label = worst.includes(one) ? 'WORST' : 'wrong';
    process.stdout.write(
      `  ${label}: ${kind} ${language ?? ''} ${JSON.stringify(input)}: ${actual}, not ${expected}\n`,
    );
  }
  return wrong.length;
}

const { values } = parseArgs({ options: { 'with-model': { type: 'boolean' }, table: { type: 'boolean' } } });
if (values.table === true) await writeServerTable();
else if (values['with-model'] === true)
  for (const { name, judged } of await judgeWithModels()) printCorpus({ name }, judged);
else
  for (const corpus of CORPORA) {
    if (printCorpus(corpus, await corpus.judge()) > 0) process.exitCode = 1;
  }
