import { SourceMap } from 'node:module';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { movedMappings, withoutWide } from '../asciiChunks.ts';

const BACKTICK = '`';

test('a built script without wide characters gives the same values', () => {
  const code = [
    "const text = 'é 日本 😀', name = 'ул';",
    `const raw = String.raw${BACKTICK}[\\d$\{${BACKTICK}\u00a0’${BACKTICK}}’\\${BACKTICK}]ул$\{name}\\$|а${BACKTICK};`,
    `const tagged = ((parts) => parts[0])${BACKTICK}№${BACKTICK};`,
    'const letters = [/[а-я]+/.test("ф"), /^.$/u.test("😀"), /😀/u.test("😀")];',
    'const ключ = { ключ: text };',
    'return JSON.stringify([text, raw, tagged, letters, ключ, name]); // х',
  ].join('\n');
  const built = withoutWide(code).code;
  expect(built).not.toMatch(/[\u0100-\uffff]/);
  const run = (source: string): unknown => runInNewContext(`(() => {\n${source}\n})()`);
  expect(run(built)).toBe(run(code));
});

test('moves the columns of the source map', () => {
  const before = "a('日本');b('x','№');c();\nd('я');e()";
  const places = ['a(', 'b(', "'x'", 'c(', 'd(', 'e('];
  const mappings = 'AAAA,QACA,EACA,SACA;AACA,OACA';
  const linesOf = (code: string, text: string) => {
    const map = new SourceMap({
      version: 3,
      sources: ['one.ts'],
      names: [],
      mappings: text,
      file: '',
      sourceRoot: '',
      sourcesContent: [],
    });
    return places.map((place) => {
      const line = code.split('\n').findIndex((one) => one.includes(place));
      const entry = map.findEntry(line, code.split('\n')[line]?.indexOf(place) ?? 0);
      return 'originalLine' in entry
        ? [entry.originalLine, entry.generatedColumn - (code.split('\n')[line]?.indexOf(place) ?? 0)]
        : null;
    });
  };
  const { code, growth } = withoutWide(before);
  const moved = movedMappings(mappings, growth);
  expect(linesOf(before, mappings)).toEqual(places.map((_place, line) => [line, 0]));
  expect(linesOf(code, moved)).toEqual(places.map((_place, line) => [line, 0]));
});
