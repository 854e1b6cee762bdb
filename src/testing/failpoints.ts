/**
 * Preloaded into a server (`--import`): acts at the failpoints that the server passes. `RAPPORT_FAILPOINT=name:3` kills
 * at the third pass of `name`; `RAPPORT_FAILPOINT_LOG=file` only logs every pass.
 */
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';

const [target, killAtPass = '1'] = (process.env['RAPPORT_FAILPOINT'] ?? '').split(':');
const log = process.env['RAPPORT_FAILPOINT_LOG'];
let passes = 0;

subscribe('rapport.failpoint', (name) => {
  if (log) appendFileSync(log, `${String(name)}\n`);
  if (name === target && ++passes === Number(killAtPass)) process.kill(process.pid, 'SIGKILL');
});
