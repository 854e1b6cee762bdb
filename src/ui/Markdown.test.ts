import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { XSS_PAYLOAD } from '../testing/xssPayloads.ts';
import Markdown from './Markdown.tsx';

const render = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text })).replaceAll(/ class="[^"]*"/g, '');

/** Elements that it makes, and attributes that they may have. */
const ALLOWED =
  /^<(?:\/?(?:div|p|hr|blockquote|ul|ol|li|pre|table|thead|tbody|tr|th|td|strong|em|s|code|sup|a|span))(?: (?:start="\d+"|data-tight="true"|tabindex="0"|target="_blank"|rel="noopener noreferrer nofollow"|href="(?:https?:\/\/|mailto:)[^"]*"|title="[^"]*"|role="img"|aria-label="[^"]*"))*\/?>$/i;

function expectSafe(html: string): void {
  for (const [tag] of html.matchAll(/<[^>]*>/g)) expect(tag).toMatch(ALLOWED);
  expect(html).not.toMatch(/<(?:img|script|iframe|style|link|object|form|input)\b|href="(?!https?:|mailto:)/i);
}

describe('Markdown', () => {
  it('shows what models use', () => {
    expect(render('**a** *b* ~~c~~ `d` [e](https://shop.example)')).toBe(
      '<div><p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code> <a href="https://shop.example" target="_blank" rel="noopener noreferrer nofollow" title="https://shop.example">e</a></p></div>',
    );
    expect(render('# T\n- a\n  - b\n- c\n\n3. d\n\n> q\n\n---')).toBe(
      '<div><p>T</p><ul data-tight="true"><li><p>a</p><ul data-tight="true"><li><p>b</p></li></ul></li><li><p>c</p></li></ul><ol start="3" data-tight="true"><li><p>d</p></li></ol><blockquote><p>q</p></blockquote><hr/></div>',
    );
    expect(render('| a | b |\n|-|-|\n| **c** | d |')).toBe(
      '<div><div tabindex="0"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><strong>c</strong></td><td>d</td></tr></tbody></table></div></div>',
    );
    expect(render('```ts\nconst a = 1;\n\n```\nx\ny')).toBe(
      '<div><pre tabindex="0">const a = 1;\n</pre><p>x\ny</p></div>',
    );
  });

  it('leaves signs alone that are no markup', () => {
    const text = '2 * 3 * 4, 200*160*40, snake_case_name, 5* hotels, ~5 km, C:\\dir';
    expect(render(text)).toBe(`<div><p>${text}</p></div>`);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java&#x73;cript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc',
    '/inside',
    '#here',
    '//elsewhere.example',
  ])('makes no link of %s', (address) => {
    for (const text of [
      `[x](${address})`,
      `[x](<${address}>)`,
      `<${address}>`,
      `[x][1]\n\n[1]: ${address}`,
      `![x](${address})`,
    ]) {
      const html = render(text);
      expectSafe(html);
      expect(html).not.toContain('<a ');
    }
  });

  it('loads no picture from outside', () => {
    const html = render('![photo](https://elsewhere.example/pixel.png)');
    expect(html).not.toContain('<img');
    expect(html).toContain('>photo</a>');
  });

  it('shows HTML as text', () => {
    const text = XSS_PAYLOAD;
    for (const wrapped of [
      text,
      `**${text}**`,
      `[${text}](https://shop.example/${text})`,
      `| ${text} |\n|-|\n| ${text} |`,
      `\`\`\`${text}\`\`\``,
      `- ${text}`,
      `> # ${text}`,
    ])
      expectSafe(render(wrapped));
  });

  it('shows hostile nesting, and any other text, without failing', () => {
    for (const text of [
      '>'.repeat(20_000),
      '- '.repeat(20_000),
      '['.repeat(20_000),
      '**a *b '.repeat(5000),
      '* 1. '.repeat(5000),
      `${'>'.repeat(500)} x`,
    ])
      expectSafe(render(text));
    const signs = fc.array(
      fc.constantFrom(
        ...'*_~`#>[]()!|\\<&-+:. \n\t1a"\''.split(''),
        '**',
        '```',
        '](',
        '&amp;',
        'https://x.example',
        '- [x] ',
        '|-|',
      ),
      { maxLength: 80 },
    );
    fc.assert(
      fc.property(signs, (list) => expectSafe(render(list.join('')))),
      { numRuns: 1000 },
    );
  });

  it('marks invisible characters', () => {
    expect(render('a\u202eb')).toContain('role="img"');
  });
});
