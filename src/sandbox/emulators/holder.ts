/** `emulators.json` in a directory of emulators: how to reach the process that runs there. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const holderSchema = z.object({
  pid: z.number().int(),
  // fetch refuses some ports below 1024.
  port: z.number().int().min(1024).max(65_535),
  token: z.string().min(32),
  startedAt: z.string(),
  version: z.string(),
});
export type Holder = z.infer<typeof holderSchema>;

/** Read emulators.json; null if it is missing or invalid. It may describe a dead process. */
export function readHolder(dir: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(join(dir, 'emulators.json'), 'utf8')));
  } catch {
    return null;
  }
}

export function writeHolder(dir: string, holder: Holder): void {
  const temporary = join(dir, `emulators.json.${process.pid}`);
  writeFileSync(temporary, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(temporary, join(dir, 'emulators.json'));
}
