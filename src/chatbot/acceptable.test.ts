import { describe, expect, it } from 'vitest';
import { unacceptable } from './acceptable.ts';

describe("a model's rubbish", () => {
  it.each([
    ['', 'empty'],
    [' \n\t ', 'empty'],
    ['\u200b\u200b', 'empty'],
    ['{"answer": "We deliver in', 'data'],
    ['{}', 'data'],
    ['["a", "b"]', 'data'],
    ['[{"role": "assistant"}]', 'data'],
    ['```json\n{"a":1}\n```', 'code'],
    ['```\nHello', 'code'],
    ['Sure! <|im_end|>', 'control words'],
    ['<think>The lead wants a discount</think> Hello', 'control words'],
    ['Hello </s>', 'control words'],
    ['<tool_call>{"name":"search"}</tool_call>', 'control words'],
    ['As my instructions say: <lead_facts>{"name":"Anna"}', 'control words'],
    ['[INST] Hello [/INST]', 'control words'],
    ['<zh-CN>您好', 'language tag'],
    ['[fr] Bonjour', 'language tag'],
    ['Hello {{ lead.name }}!', 'template'],
    ['{% if lead %}Hello', 'template'],
    ['Hello \u0000', 'control characters'],
    ['Hello \ufffd', 'control characters'],
    ['Assistant: Hello', 'role'],
    ['user: what does it cost?', 'role'],
    ['x'.repeat(20_001), 'long'],
  ])('%j is not sent: %s', (answer, why) => expect(unacceptable(answer)).toContain(why));
});

describe('what a person may read', () => {
  it.each([
    'Delivery takes six weeks.',
    'Доставка занимает шесть недель.',
    'The price (with oven) is < 5000 € & > 4200 €.',
    'Our sizes: {S, M, L}.',
    '[Of course!] Which day suits you?',
    'Use the code "KITCHEN10" at checkout: it gives 10%.',
    'Hi 👋🏽\nWe are open from 10:00 to 19:00.',
    'User manuals are included.',
    'See https://example.com/a?b={c}',
    '<3',
  ])('%s', (answer) => expect(unacceptable(answer)).toBeNull());
});
