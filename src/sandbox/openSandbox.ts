/** Opens the sandbox: the emulators, the settings that point to them, and the routes that only a sandbox serves. */
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import type { Log } from '../platform/log.ts';
import type { ControlClient } from './emulators/control.ts';
import { ensureEmulators } from './emulators/ensure.ts';

export interface Sandbox {
  /** Configuration with every vendor's address on this machine. */
  readonly config: Config;
  readonly control: ControlClient;
  /** `leave` keeps the emulators running for another process that uses them. */
  close(how: 'stop' | 'leave'): Promise<void>;
}

/** Folder of the emulators' data; a production installation has none. */
export const emulatorsFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'emulators');

/** Take over running emulators, or start them. */
export async function openSandbox(config: Config, log: Log): Promise<Sandbox> {
  const emulators = await ensureEmulators({
    dir: emulatorsFolder(config),
    log: (sentence) => log.info(sentence),
  });
  return {
    config: {
      ...config,
      vendorUrls: {
        wazzup24: `${emulators.url}/wazzup24`,
        chatpush: `${emulators.url}/chatpush`,
        amocrm: emulators.url,
      },
      llmUrls: {
        chatgpt: `${emulators.url}/openai/v1`,
        gemini: `${emulators.url}/gemini/v1beta`,
        anthropic: `${emulators.url}/anthropic/v1`,
      },
    },
    control: emulators.control,
    async close(how) {
      if (how === 'stop') await emulators.stop();
      else await emulators.release();
    },
  };
}
