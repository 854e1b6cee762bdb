/** Vite plugin that loads the styles of a Mantine component with its code, so that a page carries only what it shows. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Plugin } from 'vite';

const STYLES = join(import.meta.dirname, '../../node_modules/@mantine/core/styles');
const COMPONENT = /@mantine\/core\/esm\/.*\/[A-Z]\w*\.mjs$/;
const GLOBAL_SHEET = '@mantine/core/styles/global.layer.css';
const WHOLE_SHEET = '@mantine/core/styles.layer.css';

/**
 * A component's styles are loaded after those of the components that it imports, as in the whole sheet. The
 * development server bundles packages beforehand, without this plugin: there the whole sheet is loaded.
 */
export function componentStyles(): Plugin {
  let isBuild = true;
  return {
    name: 'component-styles',
    configResolved: ({ command }) => {
      isBuild = command === 'build';
    },
    resolveId(id, importer) {
      return !isBuild && id === GLOBAL_SHEET ? this.resolve(WHOLE_SHEET, importer) : null;
    },
    transform(code, id) {
      if (!isBuild || !COMPONENT.test(id)) return null;
      const sheet = join(STYLES, `${basename(id, '.mjs')}.layer.css`);
      if (!existsSync(sheet)) return null;
      return { code: `${code}\nimport ${JSON.stringify(sheet)};\n`, map: null };
    },
  };
}
