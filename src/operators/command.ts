/** `npm run operator -- add LOGIN [--member COMPANY_ID …] | passwd LOGIN | reset-factors LOGIN | disable LOGIN | list` */
import { createInterface } from 'node:readline';
import { readConfig } from '../platform/config.ts';
import { openDb } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { findHolder } from '../platform/postgres/lock.ts';
import { addOperator, allOperators, changePassword, disableOperator, resetSecondFactors } from './operator.ts';

const USAGE =
  'Usage: npm run operator -- add LOGIN [--member COMPANY_ID …] | passwd LOGIN | reset-factors LOGIN | disable LOGIN | list';

const VERBS = ['add', 'passwd', 'reset-factors', 'disable', 'list'];

class Mistake extends Error {}

/** A line from the terminal, not shown while it is typed, or from standard input. */
async function readPassword(prompt: string): Promise<string> {
  const terminal = process.stdin.isTTY;
  if (terminal) process.stderr.write(prompt);
  const lines = createInterface({ input: process.stdin, ...(terminal ? { terminal: true } : {}) });
  const [line] = await new Promise<string[]>((resolve) => {
    lines.once('line', (text) => resolve([text]));
    lines.once('close', () => resolve([]));
  });
  lines.close();
  if (terminal) process.stderr.write('\n');
  if (line === undefined) throw new Mistake('Type the password, or give it on standard input.');
  return line;
}

async function main(args: readonly string[]): Promise<void> {
  const [verb = '', login, ...rest] = args;
  if (!VERBS.includes(verb)) throw new Mistake(USAGE);
  if (verb !== 'list' && (login === undefined || login.trim() === '' || login.startsWith('-')))
    throw new Mistake(USAGE);
  const config = readConfig(process.env);
  const url = config.databaseUrl ?? findHolder(config.dataDir)?.url;
  if (url === undefined) throw new Mistake('The server is not running: start it first, or give DATABASE_URL.');
  const db = openDb(url, createLog('silent'), { max: 2 });
  try {
    if (verb === 'list') {
      for (const one of await allOperators(db.reader)) {
        const where = one.role === 'admin' ? 'admin' : `member of ${one.companies.join(', ') || 'nothing'}`;
        console.log(`${one.id}\t${one.login}\t${where}${one.is_active ? '' : '\tdisabled'}`);
      }
      return;
    }
    if (login === undefined) throw new Mistake(USAGE);
    if (verb === 'add') {
      const companies = membership(rest);
      const password = await readPassword(`Password for ${login}: `);
      // The first one is made by whoever sets the installation up, for himself.
      const mustChange = (await allOperators(db.reader)).length > 0;
      await db.transact((tx) => addOperator(tx, { login, password, companies, mustChange }));
      console.log(`${login} can sign in${mustChange ? ', and then chooses a password of their own' : ''}.`);
    } else if (verb === 'passwd') {
      const password = await readPassword(`New password for ${login}: `);
      await db.transact((tx) => changePassword(tx, login, password));
      console.log(`${login} has a new password, to be changed at the next sign-in; earlier sessions have ended.`);
    } else if (verb === 'reset-factors') {
      await db.transact((tx) => resetSecondFactors(tx, login));
      console.log(`${login} signs in with the password alone; earlier sessions have ended.`);
    } else {
      await db.transact((tx) => disableOperator(tx, login));
      console.log(`${login} can no longer sign in.`);
    }
  } finally {
    await db.close();
  }
}

function membership(rest: readonly string[]): number[] | null {
  if (rest.length === 0) return null;
  const ids = rest.filter((one) => one !== '--member').map(Number);
  if (rest[0] !== '--member' || ids.length === 0 || ids.some((id) => !Number.isInteger(id) || id < 1))
    throw new Mistake(USAGE);
  return ids;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
