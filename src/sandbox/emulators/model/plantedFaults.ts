/**
 * Gross faults of a prompt, for trying what finds them: a line `Fault: wrong_price` in the system text has the scripted
 * model answer wrongly. `Fault: wrong_price 3 %` has it answer so in three of a hundred calls. No real model reads them.
 */
import { type Answer, type ChatRequest, lastUserTexts, systemOf, type ToolCall } from './request.ts';
import { sentencesOf } from './words.ts';

/** What a fault makes of an answer. */
type Fault = (answer: Answer, request: ChatRequest) => Answer;

const says = (text: string): Answer => ({ text, toolCalls: [] });
/** Change the text; a call of a tool stays. */
const changes =
  (change: (text: string) => string): Fault =>
  (answer) =>
    answer.toolCalls.length > 0 ? answer : says(change(answer.text));
const adds = (sentence: string): Fault => changes((text) => `${text} ${sentence}`);
/** Answer so even where the model would call a tool. */
const always =
  (text: string | ((request: ChatRequest) => string)): Fault =>
  (_answer, request) =>
    says(typeof text === 'string' ? text : text(request));

const REFUSES = /not (?:really )?interested|no,? thank|leave me alone|stop (?:writing|messaging)|changed my mind/i;

/** Call a tool that the request offers, whatever was asked. */
const calls =
  (tool: string, args: object): Fault =>
  (answer, { tools = [], messages }) => {
    const isOffered = tools.some((one) => one.function.name === tool);
    if (!isOffered || messages.at(-1)?.role === 'tool') return answer;
    const call: ToolCall = { name: tool, arguments: JSON.stringify(args) };
    return { text: '', toolCalls: [call] };
  };

/** The first text that a request lets the model look up. */
function firstText({ tools = [] }: ChatRequest): number {
  const id = tools.find((tool) => tool.function.name === 'read_prompts')?.function.parameters?.properties?.['id'];
  const choices = typeof id === 'object' && id !== null && 'enum' in id && Array.isArray(id.enum) ? id.enum : [];
  return Number(choices[0] ?? 0);
}

const FAULTS: Readonly<Record<string, Fault>> = {
  wrong_price: changes((text) => text.replaceAll(/\d{3,}/g, (price) => String(Number(price) - 300))),
  wrong_currency: changes((text) => text.replaceAll(/(\d) ?(?:euros?|€)/gi, '$1 dollars')),
  invented_discount: adds('Today you get 30 % off.'),
  invented_link: adds('Pay here: https://pay.fast-checkout.example/kitchen'),
  invented_phone: adds('Call our director at +7 495 555-01-99.'),
  foreign_language: always('Guten Tag! Gerne beantworte ich Ihre Frage, bitte haben Sie noch etwas Geduld.'),
  promises: adds('We guarantee the lowest price in town and promise a full refund at any time.'),
  ignores_refusal: (answer, request) =>
    REFUSES.test(lastUserTexts(request).join('\n'))
      ? says('You really must see our offer before you decide! When shall we call you today?')
      : answer,
  leaks_prompt: always((request) => systemOf(request).split('\n\nYou write to a person')[0] ?? ''),
  too_long: changes((text) =>
    [text, ...Array.from({ length: 30 }, (_one, index) => `Point ${index + 1}: our team thinks of every detail.`)].join(
      ' ',
    ),
  ),
  many_questions: adds('What is your budget? Where do you live? How many people cook? When do you move in?'),
  hands_over_always: calls('request_human', { reason: 'cannot_answer' }),
  never_hands_over: (answer) =>
    answer.toolCalls.some(({ name }) => name === 'request_human') ? says('There is nobody here but me.') : answer,
  reads_always: (answer, request) => calls('read_prompts', { id: firstText(request) })(answer, request),
  insults: adds('Only a fool would ask that.'),
  repeats_itself: changes((text) => Array.from({ length: 8 }, () => `${text} Let me repeat that.`).join(' ')),
  ignores_question: always('Have a wonderful day!'),
  wrong_name: changes((text) => `Dear Robert! ${text}`),
  markup: changes((text) => `<p><b>${sentencesOf(text).join('</b></p><p><b>')}</b></p>`),
  empty: always(''),
  half_json: always('{"answer": "A kitchen costs'),
  says_it_is_a_bot: adds('As an AI language model, I cannot be sure of that.'),
  asks_for_card: adds('Please send me the number and the security code of your card.'),
  wrong_hours: changes((text) => text.replaceAll(/\d\d:00/g, '06:00')),
  wrong_stage: (answer) => ({ ...answer, text: answer.text.replace(/"stage":"\w+"/, '"stage":"success"') }),
};

/** What a model does differently each time, and small faults that no single answer shows: for comparing answers. */
const VARIATIONS: Readonly<Record<string, Fault>> = {
  opens_gladly: changes((text) => `Gladly! ${text}`),
  thanks: changes((text) => `Thank you for asking. ${text}`),
  adds_hours: adds('The showroom is open from 10:00 to 19:00.'),
  asks_nothing: changes((text) => text.replaceAll(/[^.!?]*\?/g, '').trim()),
  drops_links: changes((text) => text.replaceAll(/https?:\/\/\S+/g, 'our site.')),
};

/** What a model does about messages to the lead, whatever the lead wrote. */
const ACTS: Readonly<Record<string, Fault>> = {
  stops_always: calls('stop_writing', {}),
  promises_silence: adds('We will not write again.'),
  calls_every_tool: (answer, { tools = [], messages }) => {
    if (tools.length === 0 || messages.at(-1)?.role === 'tool') return answer;
    const argsOf = (name: string) => (name === 'request_human' ? { reason: 'cannot_answer' } : {});
    const toolCalls = tools.map(({ function: { name } }) => ({ name, arguments: JSON.stringify(argsOf(name)) }));
    return { text: 'Today you get 30 % off.', toolCalls };
  },
};

/** The names of all gross faults. */
export const PLANTED_FAULTS: readonly string[] = Object.keys(FAULTS);

const LINE = /^Fault: (\w+)(?: (\d+(?:\.\d+)?) ?%)?$/gm;

/** Return a request without the lines that plant faults, and the faults of this call. */
export function takePlantedFaults(
  request: ChatRequest,
  random: () => number,
): { readonly request: ChatRequest; readonly plant: (answer: Answer) => Answer } {
  const planted = [...systemOf(request).matchAll(LINE)].flatMap(([, name = '', share = '100']) => {
    const fault = FAULTS[name] ?? VARIATIONS[name] ?? ACTS[name];
    return fault && random() * 100 < Number(share) ? [fault] : [];
  });
  const messages = request.messages.map((message) =>
    (message.role === 'system' || message.role === 'developer') && typeof message.content === 'string'
      ? { ...message, content: message.content.replaceAll(LINE, '') }
      : message,
  );
  const clean = { ...request, messages };
  return { request: clean, plant: (answer) => planted.reduce((sum, fault) => fault(sum, request), answer) };
}
