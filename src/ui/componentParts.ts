/** Vite plugin that leaves out parts of Mantine's components that nothing names, `Menu.Search` say. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const SOURCES = join(import.meta.dirname, '..');
const MANTINE = join(import.meta.dirname, '../../node_modules/@mantine');
const COMPONENT = /@mantine\/core\/esm\/components\/(\w+)\/\1\.mjs$/;
/** `Menu.Search = MenuSearch;` */
const PART = /^([A-Z]\w*\.[A-Z]\w*) = [A-Z]\w*;$/gm;
/** In the error messages of a part: it names itself there. */
const OWN_ERROR = /\b[A-Z]\w*\.[A-Z]\w*(?:\.\w+)* component children/g;
const NAME = /\b[A-Z]\w*\.[A-Z]\w*/g;

/**
 * A component carries its parts as properties, so no bundler can tell which are used. We and Mantine name them where they
 * are used: `<Menu.Item>`, never `const { Item } = Menu`, which is not seen here. A part that no file names is not
 * attached, so its code and styles are left out. [first list: 8 KB of 267, gzipped]
 */
export function componentParts(): Plugin {
  let named: ReadonlySet<string> = new Set();
  return {
    name: 'component-parts',
    apply: 'build',
    buildStart: () => {
      named = new Set([...namesIn(SOURCES, '.tsx'), ...namesIn(MANTINE, '.mjs')]);
    },
    transform(code, id) {
      if (!COMPONENT.test(id)) return null;
      return { code: code.replace(PART, (line, part: string) => (named.has(part) ? line : '')), map: null };
    },
  };
}

/** Return every `Component.Part` that the folder's files use. */
function namesIn(folder: string, ending: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(ending));
  return files.flatMap(
    (file) => readFileSync(join(folder, file), 'utf8').replace(PART, '').replace(OWN_ERROR, '').match(NAME) ?? [],
  );
}
