/**
 * `npm run bench`: our lists and ingest against a bare handler, the times that operators notice, a history of up
 * to ten million messages, the console's weight, the counts of outcomes, a long thread in a browser, streams, first
 * messages, the cost of an exchange, gates, simulated leads and replays of the studio, memory; writes
 * bench/REPORT.md.
 */
import { buildServer } from '../../testing/builds.ts';
import { runCommand } from '../harness/command.ts';
import { comparison } from './comparison.ts';
import { console } from './console.ts';
import { exchange } from './exchange.ts';
import { firstMessages } from './firstMessages.ts';
import { gate } from './gate.ts';
import { history, lists } from './history.ts';
import { inbox } from './inbox.ts';
import { memory } from './memory.ts';
import { operator } from './operatorTimes.ts';
import { outcomes } from './outcomes.ts';
import { replay } from './replay.ts';
import { simulatedLeads } from './simulatedLeads.ts';
import { streams } from './streams.ts';
import { thread } from './thread.ts';

// Measured is what `npm start` runs.
process.env['RAPPORT_SERVER_MODULE'] = buildServer();

await runCommand({
  name: 'bench',
  title: 'Benchmark',
  intro: 'Ratios carry over to other machines, absolute figures do not.',
  file: 'REPORT.md',
  parts: {
    core: comparison,
    lists,
    history,
    inbox,
    outcomes,
    operator,
    console,
    thread,
    streams,
    outreach: firstMessages,
    exchange,
    'studio.gate': gate,
    'studio.simulation': simulatedLeads,
    'studio.replay': replay,
    memory,
  },
});
