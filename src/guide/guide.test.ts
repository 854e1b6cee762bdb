/** The guide as a whole: everything that it names exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guideOf, guideTopics } from './contract.ts';
import { sizeOf } from './imageSize.ts';
import { headingsOf, indexGuide, linksOf, picturesOf, readGuide, renderGuide } from './render.ts';

const FOLDER = join(import.meta.dirname, '../../docs/guide');
const MOST_BYTES = 6 * 1024 * 1024;

const sources = readGuide(FOLDER);
const textOf = (slug: string) => sources.find((one) => one.slug === slug)?.markdown ?? '';
const idsOf = (slug: string) => headingsOf(textOf(slug)).map(({ id }) => id);
const pictures = readdirSync(join(FOLDER, 'pictures'));

const ASSETS = {
  script: '/assets/guide.js',
  styles: ['/assets/guide.css'],
  icon: '/assets/guide.svg',
  index: '/assets/guide.json',
  picture: (name: string) => ({ url: `/assets/${name}`, width: 1120, height: 720 }),
};

describe('the console', () => {
  it('is explained under headings that exist', () => {
    for (const { slug, explains } of guideTopics) {
      for (const [key, heading] of Object.entries(explains)) {
        if (heading !== '') expect(idsOf(slug), `${key} at ${slug}`).toContain(heading);
      }
    }
    expect(guideOf('no-such-page')).toBe('/guide/');
  });
});

describe('the files', () => {
  it('are those that the console lists, under the same titles', () => {
    const listed = guideTopics.map(({ slug, title }) => [slug, title]);
    const there = sources
      .filter(({ slug }) => slug !== 'README')
      .map(({ slug }) => [slug, headingsOf(textOf(slug))[0]?.text]);
    expect(there).toEqual(listed);
    // The first page links to each of them.
    for (const { slug } of guideTopics) expect(linksOf(textOf('README'))).toContain(`${slug}.md`);
  });

  it.each(sources.map(({ slug }) => slug))('%s: every link leads somewhere', (slug) => {
    for (const link of linksOf(textOf(slug))) {
      const [, file = '', heading = ''] = /^([^#]*)#?(.*)$/.exec(link) ?? [];
      if (file !== '') expect(existsSync(resolve(FOLDER, file)), link).toBe(true);
      const to = file === '' ? slug : file.replace(/\.md$/, '');
      if (heading !== '') expect(idsOf(to), link).toContain(heading);
    }
  });

  it('show every stored picture, in both schemes', () => {
    const shownPictures = sources.flatMap(({ markdown }) => picturesOf(markdown));
    expect([...new Set(shownPictures)].sort()).toEqual([...pictures].sort());
    for (const name of shownPictures) {
      expect(name).toMatch(/-(light|dark)\.webp$/);
      expect(sizeOf(readFileSync(join(FOLDER, 'pictures', name)))).toEqual({ width: 1120, height: 720 });
    }
    const bytes = pictures.reduce((sum, name) => sum + readFileSync(join(FOLDER, 'pictures', name)).length, 0);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});

describe('the pages', () => {
  const rendered = renderGuide(sources, ASSETS);

  it('are one for each file, and one for the whole guide', () => {
    expect([...rendered.keys()]).toEqual(['index.html', ...guideTopics.map(({ slug }) => `${slug}.html`), 'all.html']);
  });

  it('link only to pages and headings that exist', () => {
    const ids = new Map(
      [...rendered].map(([name, html]) => [name, new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    for (const [name, html] of rendered) {
      for (const [, href = ''] of html.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        if (href === '/' || href.startsWith('http') || href.startsWith('/assets/')) continue;
        const [, page, heading] = /^(?:\/guide\/([\w-]*))?(?:#(.+))?$/.exec(href) ?? [];
        const to = page === undefined ? name : `${page || 'index'}.html`;
        expect(ids.has(to), `${name}: ${href}`).toBe(true);
        if (heading !== undefined) expect(ids.get(to)?.has(heading), `${name}: ${href}`).toBe(true);
      }
    }
  });

  it('contain no script and no style of their own, as the Content-Security-Policy requires', () => {
    for (const html of rendered.values()) {
      expect(html).not.toMatch(/<script(?![^>]*src=)|<style| on\w+=/);
    }
  });

  it('accept no HTML but pictures, and omit links to what the product does not serve', () => {
    const page = (markdown: string) =>
      renderGuide([{ slug: 'README', markdown: `# Guide\n\n${markdown}` }], ASSETS).get('index.html');
    expect(() => page('<b>bold</b>')).toThrow('HTML that is no picture');
    expect(() => page('<script>alert(1)</script>')).toThrow('HTML that is no picture');
    expect(page('[the sources](../../src/app.ts)')).toContain('<p>the sources</p>');
    expect(page('[out](https://example.org/?a=1&b="2")')).toContain('href="https://example.org/?a=1&amp;b=');
  });

  it('are found by their words', () => {
    const found = indexGuide(sources).filter(({ text }) => text.includes('10 messages in a row'));
    expect(found.map(({ url }) => url)).toEqual(['/guide/channels#first-messages-stopped']);
    expect(indexGuide(sources).every(({ heading }) => heading !== '')).toBe(true);
  });
});
