/**
 * `npm run attack`: what attackers have found before, sqlmap, slowhttptest, blocking work, checks of the studio, floods
 * and lists against the product on loopback; writes
 * bench/SECURITY.md.
 */
import { runCommand } from '../harness/command.ts';
import { block } from './blocking.ts';
import { checks } from './checks.ts';
import { findings } from './findings.ts';
import { crowds } from './floods.ts';
import { sql } from './injection.ts';
import { lists } from './lists.ts';
import { slow } from './slowness.ts';

await runCommand({
  name: 'attack',
  title: 'Attacks',
  intro: 'The product runs on loopback, on a database of its own.',
  file: 'SECURITY.md',
  parts: { findings, sql, slow, block, checks, crowds, lists },
});
