/** Vite plugin that adds the guide to the console's built files and to the development server. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { sizeOf } from './imageSize.ts';
import { type GuideAssets, indexGuide, readGuide, renderGuide } from './render.ts';

const FOLDER = join(import.meta.dirname, '../../docs/guide');
const ICON = join(import.meta.dirname, '../console/favicon.svg');
/** Name of the build input with the pages' script and style. */
const ENTRY = 'guide';

/**
 * @param tokens the theme's variables, as a style sheet
 */
export function guide(tokens: string): Plugin {
  return {
    name: 'guide',
    generateBundle(_options, bundle) {
      const chunk = Object.values(bundle).find((one) => one.type === 'chunk' && one.isEntry && one.name === ENTRY);
      if (chunk?.type !== 'chunk') throw new Error('The guide has no script');
      const emit = (name: string, source: string | Uint8Array): string =>
        `/${this.getFileName(this.emitFile({ type: 'asset', name, source }))}`;
      const sources = readGuide(FOLDER);
      const pictures = new Map<string, ReturnType<GuideAssets['picture']>>();
      const files = renderGuide(sources, {
        script: `/${chunk.fileName}`,
        styles: [
          emit('guide-theme.css', tokens),
          ...[...(chunk.viteMetadata?.importedCss ?? [])].map((one) => `/${one}`),
        ],
        icon: emit('guide.svg', readFileSync(ICON)),
        index: emit('guide-index.json', JSON.stringify(indexGuide(sources))),
        picture(name) {
          const cached = pictures.get(name) ?? readPicture(name, emit);
          pictures.set(name, cached);
          return cached;
        },
      });
      for (const [name, source] of files) this.emitFile({ type: 'asset', fileName: `guide/${name}`, source });
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const [, name] = /^\/guide\/([\w-]*)(?:\?|$)/.exec(request.url ?? '') ?? [];
        if (name === undefined) return next();
        const sources = readGuide(FOLDER);
        const data = (type: string, text: string) => `data:${type},${encodeURIComponent(text)}`;
        const page = renderGuide(sources, {
          script: '/src/guide/pages/page.ts',
          styles: [data('text/css', tokens), '/src/guide/pages/page.css'],
          icon: '/src/console/favicon.svg',
          index: data('application/json', JSON.stringify(indexGuide(sources))),
          picture: (picture) => ({ ...sizeOf(read(picture)), url: `/docs/guide/pictures/${picture}` }),
        }).get(`${name || 'index'}.html`);
        if (page === undefined) return next();
        response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
      });
    },
  };
}

const read = (picture: string): Buffer => readFileSync(join(FOLDER, 'pictures', picture));

function readPicture(
  name: string,
  emit: (name: string, source: Uint8Array) => string,
): ReturnType<GuideAssets['picture']> {
  const source = read(name);
  return { ...sizeOf(source), url: emit(name, source) };
}
