/**
 * Manage operators:
 * `npm run operator -- add LOGIN [--member COMPANY_ID …] | passwd LOGIN | reset-factors LOGIN | disable LOGIN | list`
 */
import { createInterface } from 'node:readline';
import { readConfig } from '../platform/config.ts';
import { createLog } from '../platform/log.ts';
import { openDb } from '../platform/openDb.ts';
import { findHolder } from '../platform/postgres/lock.ts';
import { addOperator, changePassword, disableOperator, readOperators, resetSecondFactors } from './operator.ts';

const USAGE =
  'Usage: npm run operator -- add LOGIN [--member COMPANY_ID …] | passwd LOGIN | reset-factors LOGIN | disable LOGIN | list';

const COMMANDS = ['add', 'passwd', 'reset-factors', 'disable', 'list'];

class UsageError extends Error {}

/** Read a line from the terminal, without showing it, or from standard input. */
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
  if (line === undefined) throw new UsageError('Type the password, or give it on standard input.');
  return line;
}

async function main(args: readonly string[]): Promise<void> {
  const [command = '', login, ...rest] = args;
  if (!COMMANDS.includes(command)) throw new UsageError(USAGE);
  if (command !== 'list' && (login === undefined || login.trim() === '' || login.startsWith('-')))
    throw new UsageError(USAGE);
  const config = readConfig(process.env);
  const url = config.databaseUrl ?? findHolder(config.dataDir)?.url;
  if (url === undefined) throw new UsageError('The server is not running: start it first, or give DATABASE_URL.');
  const db = openDb(url, createLog('silent'), { max: 2 });
  try {
    if (command === 'list') {
      for (const one of await readOperators(db.reader)) {
        const where = one.role === 'admin' ? 'admin' : `member of ${one.companies.join(', ') || 'nothing'}`;
        console.log(`${one.id}\t${one.login}\t${where}${one.is_active ? '' : '\tdisabled'}`);
      }
      return;
    }
    if (login === undefined) throw new UsageError(USAGE);
    if (command === 'add') {
      const companies = parseMembership(rest);
      const password = await readPassword(`Password for ${login}: `);
      // The first operator is created by the person who sets the installation up, for themselves.
      const mustChange = (await readOperators(db.reader)).length > 0;
      await db.transact((tx) => addOperator(tx, { login, password, companies, mustChange }));
      console.log(`${login} can sign in${mustChange ? ', and then chooses a password of their own' : ''}.`);
    } else if (command === 'passwd') {
      const password = await readPassword(`New password for ${login}: `);
      await db.transact((tx) => changePassword(tx, { operatorRef: login, password }));
      console.log(`${login} has a new password, to be changed at the next sign-in; earlier sessions have ended.`);
    } else if (command === 'reset-factors') {
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

function parseMembership(rest: readonly string[]): number[] | null {
  if (rest.length === 0) return null;
  const ids = rest.filter((one) => one !== '--member').map(Number);
  if (rest[0] !== '--member' || ids.length === 0 || ids.some((id) => !Number.isInteger(id) || id < 1))
    throw new UsageError(USAGE);
  return ids;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
