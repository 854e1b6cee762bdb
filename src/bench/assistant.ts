/** The assistant's first token: over the socket with everything before it, against the model's own. */
import { PAGE, talkTo } from '../testing/assistant.ts';
import { MODEL_KEY } from '../testing/world.ts';
import { openSetting } from './setting.ts';

export interface FirstToken {
  readonly postgres: string;
  /** Milliseconds from the question to the first piece of the answer, one a round. */
  readonly ours: readonly number[];
  readonly vendors: readonly number[];
}

/** What the model takes before it begins; the same for both. */
const THINKING = 'Hello';

/** Asks the model by itself and through the assistant, in turns, one at a time. */
export async function measureFirstToken(rounds: number): Promise<FirstToken> {
  const setting = await openSetting();
  const { world, operator } = setting;
  try {
    await setting.serve({});
    await world.control.changeSettings({ llm: { msPerToken: 5 } });
    const talk = await talkTo(world, operator);
    const ours: number[] = [];
    const vendors: number[] = [];
    // The first of each also opens connections and compiles.
    for (let round = -3; round < rounds; round++) {
      const vendor = await firstPiece(`${world.env()['RAPPORT_OPENAI_URL'] ?? ''}/chat/completions`);
      const begun = performance.now();
      talk.say({ content: THINKING, ...PAGE });
      const first = await talk.next();
      const own = performance.now() - begun;
      if (first.is_error) throw new Error(first.content.message);
      if (first.content.message_type === 'delta') await talk.heard();
      talk.say({ clear: true });
      await talk.next();
      if (round < 0) continue;
      ours.push(own);
      vendors.push(vendor);
    }
    await talk.close();
    return { postgres: setting.postgres, ours, vendors };
  } finally {
    await setting.close();
  }
}

/** Milliseconds until the model's first piece, asked as our server asks it. */
async function firstPiece(url: string): Promise<number> {
  const begun = performance.now();
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${MODEL_KEY}` },
    body: JSON.stringify({
      model: 'gpt-4o-mini',
      stream: true,
      messages: [{ role: 'user', content: THINKING }],
    }),
  });
  if (answer.status !== 200 || !answer.body) throw new Error(`The model answers ${answer.status}`);
  let taken = 0;
  let heard = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    heard += chunk;
    if (taken === 0 && /"content":"[^"]/.test(heard)) taken = performance.now() - begun;
  }
  if (taken === 0) throw new Error('The model said nothing');
  return taken;
}
