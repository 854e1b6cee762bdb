import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { XSS_PAYLOAD } from '../../../testing/xssPayloads.ts';
import { MessageText } from './MessageText.tsx';

const render = (text: string, markup: 'whatsapp' | 'plain' = 'whatsapp'): string =>
  renderToStaticMarkup(createElement(MessageText, { text, markup })).replaceAll(/ class="[^"]*"/g, '');

describe("a bubble's text", () => {
  it.each([
    [
      '*bold* and _italic_, ~struck~ `code`',
      '<strong>bold</strong> and <em>italic</em>, <s>struck</s> <code>code</code>',
    ],
    ['*bold _both_*', '<strong>bold <em>both</em></strong>'],
    ['(*a*) «_b_» 🔥*c*🔥', '(<strong>a</strong>) «<em>b</em>» 🔥<strong>c</strong>🔥'],
    ['```\nline *one*\n\nline two\n```', '<code data-block="true">line *one*\n\nline two</code>'],
    [
      'Hi\n> quoted *so*\n> twice\nBye',
      'Hi<blockquote>quoted <strong>so</strong></blockquote><blockquote>twice</blockquote>Bye',
    ],
    // No marks for WhatsApp.
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['сло*во*', 'сло*во*'],
    ['*во*ва', '*во*ва'],
    ['* not bold *', '* not bold *'],
    ['*two\nlines*', '*two\nlines*'],
    ['snake_case_name 5* 200*160*40', 'snake_case_name 5* 200*160*40'],
    ['https://shop.example/_a_/*b*', 'https://shop.example/_a_/*b*'],
    ['*https://shop.example*', '<strong>https://shop.example</strong>'],
    ['** `` ~~', '** `` ~~'],
  ])('shows %j as WhatsApp does', (text, html) => {
    expect(render(text)).toBe(html);
  });

  it('shows every sign where the messenger has no markup', () => {
    expect(render('*bold* > `x`', 'plain')).toBe('*bold* &gt; `x`');
  });

  it('makes no elements of what somebody has written, and loses no characters but marks', () => {
    expect(render(`*${XSS_PAYLOAD}* _${XSS_PAYLOAD}_`).replaceAll(/<\/?(?:strong|em)>/g, '')).not.toContain('<');
    const signs = fc.array(fc.constantFrom('*', '_', '~', '`', '```', '> ', '\n', ' ', 'a', 'я', '<', '👍🏽'), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(signs, (list) => {
        const text = list.join('');
        const visible = render(text).replaceAll(/<\/?(?:strong|em|s|code|blockquote)(?: data-block="true")?>/g, '');
        expect(visible).not.toMatch(/<(?!span)/);
        const letters = (one: string) => one.replaceAll(/[^aя<]/gu, '');
        expect(letters(visible.replaceAll('&lt;', '<').replaceAll('&gt;', ''))).toBe(letters(text));
      }),
    );
  });
});
