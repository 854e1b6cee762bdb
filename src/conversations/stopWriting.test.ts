/** The tool by which a model ends all messages to a person: no form of its call may be lost, and none may be invented. */
import { expect, it } from 'vitest';
import { AnswerBuilder } from '../llm/wire/answer.ts';
import { openai } from '../llm/wire/openai.ts';
import { hasStopCall, STOP_WRITING } from './stopWriting.ts';

function stops(...deltas: readonly object[]): boolean {
  const answer = new AnswerBuilder({ onPiece: () => undefined, onText: () => undefined });
  const read = openai.createReader(answer);
  for (const delta of deltas) read(JSON.stringify({ choices: [{ index: 0, delta }] }));
  return hasStopCall(answer.result(new Set([STOP_WRITING.name])).calls);
}

const call = (args: unknown, name: string | null = STOP_WRITING.name) => ({
  tool_calls: [{ index: 0, function: { name, arguments: args } }],
});

it.each([
  ['no arguments', [call(undefined)]],
  ['null', [call(null)]],
  ['null as a text', [call('null')]],
  ['an empty text', [call('')]],
  ['an empty list', [call([])]],
  ['an empty list as a text', [call('[]')]],
  ['an object', [call({})]],
  ['an object as a text', [call('{}')]],
  ['an object encoded twice', [call('"{}"')]],
  ['an object that is repeated', [call('{}'), call('{}', null)]],
  ['a name in pieces', [call('', 'stop_'), call('{}', 'writing')]],
  ['a name with a namespace', [call('{}', 'functions.stop_writing')]],
])('stops by a call with %s', (_what, deltas) => expect(stops(...deltas)).toBe(true));

it.each([
  ['a text that quotes its name', [{ content: 'stop_writing {}' }]],
  ['a thought about it', [{ reasoning_content: 'stop_writing({})' }]],
  ['another tool whose name contains it', [call('{}', 'do_not_stop_writing')]],
  ['arguments that break off', [call('{"a":')]],
  ['a text for its arguments', [call('"never"')]],
  ['two different calls in one', [call('{}'), call('{"a":1}', null)]],
])('does not stop by %s', (_what, deltas) => expect(stops(...deltas)).toBe(false));
