/** The version that runs: the one place is package.json. */
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
