/** Parameters that a model server refuses by name: each is left out at once, and from then on. */

/** The request's body, by the keys that every vendor's wire uses. */
type Body = Readonly<Record<string, unknown>>;
interface Message {
  readonly role?: string;
  readonly content?: unknown;
  readonly parts?: readonly unknown[];
}

/** What says that a server does not know or want something, and not that a value of it is wrong. */
const UNSUPPORTED =
  /unsupported|\bnot (?:yet |currently )?(?:be )?(?:support|permit|allow|enabl|accept|one of|availab|implement)|n't (?:support|allow|accept)|no endpoints found|unrecogni[sz]ed|unknown|unexpected|extra[ _](?:inputs|fields|forbidden)|deprecated|expected one of|must be (?:one of|verified)|requires? --|invalid (?:parameter|argument|field)|cannot be (?:specified|set|used)|no longer|was removed/i;

interface Parameter {
  /** How messages name it. */
  readonly named: RegExp;
  /** Any message that names it is a refusal: its values differ between models. */
  readonly isRefusedByValue?: boolean;
  isSent(body: Body): boolean;
  leaveOut(body: Body): Body;
}

const without = (body: Body, name: string): Body =>
  Object.fromEntries(
    Object.entries(body)
      .filter(([key]) => key !== name)
      .map(([key, value]) =>
        // Where Gemini has its settings.
        key === 'generationConfig' ? [key, without(Object(value), name)] : [key, value],
      ),
  );
const has = (body: Body, name: string): boolean => name in body || name in Object(body['generationConfig']);
const messagesOf = (body: Body): readonly Message[] => {
  const { messages } = body;
  return Array.isArray(messages) ? messages : [];
};
const hasRole = (body: Body, role: string): boolean => messagesOf(body).some((message) => message.role === role);

const named = (name: string, pattern: RegExp): Parameter => ({
  named: pattern,
  isSent: (body) => has(body, name),
  leaveOut: (body) => without(body, name),
});

/** A limit is known under either of two names: the other one is tried before the answer is not limited. */
const limit = (name: string, other: string): Parameter => ({
  // Anthropic requires its limit: it has no other name there.
  isSent: (body) => name in body && 'stream_options' in body,
  named: new RegExp(`\\b${name}\\b`),
  leaveOut: ({ [name]: value, ...body }) => ({ ...body, ...(other in body ? {} : { [other]: value }) }),
});

/** By the name under which a refusal is stored and shown, in the order in which a message is searched. */
const PARAMETERS: Readonly<Record<string, Parameter>> = {
  temperature: { ...named('temperature', /temperature/i), isRefusedByValue: true },
  max_tokens: limit('max_tokens', 'max_completion_tokens'),
  max_completion_tokens: limit('max_completion_tokens', 'max_tokens'),
  maxOutputTokens: named('maxOutputTokens', /max_?output_?tokens/i),
  stream_options: named('stream_options', /stream_options|include_usage/i),
  reasoning_effort: named('reasoning_effort', /reasoning[_. ]effort/i),
  // A place within them (`tools.0.function`) is a mistake of ours, which is not to be hidden.
  tools: named('tools', /\btools?\b(?![.[]\d)|tool[_ -](?:choice|use|call)|function[_ -]?calling/i),
  developer: {
    named: /\bdeveloper\b|message role|'role'|\brole\b/i,
    isSent: (body) => hasRole(body, 'developer'),
    leaveOut: (body) => ({
      ...body,
      messages: messagesOf(body).map((message) =>
        message.role === 'developer' ? { ...message, role: 'system' } : message,
      ),
    }),
  },
  system: {
    named: /system[_ ]?(?:role|message|prompt|instruction)|developer instruction/i,
    isSent: (body) => hasRole(body, 'system') || 'systemInstruction' in body,
    leaveOut: withInstructionsInMessage,
  },
  stream: {
    named: /\bstream(?:ing)?\b/i,
    isSent: (body) => body['stream'] === true && 'stream_options' in body,
    leaveOut: (body) => without(without(body, 'stream'), 'stream_options'),
  },
};

/** Put the instructions before the first words of the user. */
function withInstructionsInMessage(body: Body): Body {
  const { systemInstruction, contents, ...rest } = body;
  if (systemInstruction !== undefined && Array.isArray(contents)) {
    const [first, ...others]: Message[] = contents;
    const parts: unknown = Object(systemInstruction).parts;
    return {
      ...rest,
      contents: [{ ...first, parts: [...(Array.isArray(parts) ? parts : []), ...(first?.parts ?? [])] }, ...others],
    };
  }
  const messages = messagesOf(body);
  const instructions = messages.filter(({ role }) => role === 'system').map(({ content }) => String(content));
  const others = messages.filter(({ role }) => role !== 'system');
  const first = others.findIndex(({ role }) => role === 'user');
  return {
    ...body,
    messages: others.map((message, index) =>
      index === first ? { ...message, content: [...instructions, String(message.content)].join('\n\n') } : message,
    ),
  };
}

/** Leave out of a request what its server refuses. */
export function leaveOut(body: Body, refused: ReadonlySet<string>): Body {
  let rest = body;
  for (const name of Object.keys(PARAMETERS)) {
    const parameter = refused.has(name) ? PARAMETERS[name] : undefined;
    if (parameter?.isSent(rest)) rest = parameter.leaveOut(rest);
  }
  // Both names of the limit are refused: the server sets its own.
  if (refused.has('max_tokens') && refused.has('max_completion_tokens'))
    rest = without(without(rest, 'max_tokens'), 'max_completion_tokens');
  return rest;
}

/** Return which parameters of a request a server's message refuses. */
export function refusedParameters(message: string, sent: Body): string[] {
  // A prompt that is too long names the limit, and is not helped without it.
  if (/context[ _](?:length|window)|too (?:long|large)/i.test(message)) return [];
  const isUnsupported = UNSUPPORTED.test(message);
  const found = Object.keys(PARAMETERS).filter((name) => {
    const parameter = PARAMETERS[name];
    return parameter?.isSent(sent) && parameter.named.test(message) && (isUnsupported || parameter.isRefusedByValue);
  });
  // A message about roles lists that of tools too.
  if (found.includes('developer')) return ['developer'];
  return found.filter((name) => name !== 'stream' || !found.includes('stream_options'));
}
