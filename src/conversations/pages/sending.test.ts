import { describe, expect, it } from 'vitest';
import { sendNew } from '../../outbox/sendContract.ts';
import { valuesOf } from '../../ui/form.ts';
import { CONTENTS, findTargets, ownerAfterSending, SEND_DEFAULTS, sendFields } from './sending.ts';

const channel = (id: number, is_active = true) => ({ id, name: `Line ${id}`, is_active });
const contactDialogue = (id: number, channel_id: number, owner: 'bot' | 'human' = 'bot') => ({
  id,
  channel_id,
  channel_name: `Line ${channel_id}`,
  owner,
  last_user_msg_id: 5,
  last_bot_msg_id: null,
});

describe('the channels for a contact', () => {
  it("list the contact's dialogue first, then every active linked channel", () => {
    const links = [5, 3, 4].map((channel_id) => ({ channel_id }));
    const targets = findTargets([contactDialogue(70, 4)], [channel(5), channel(4), channel(3), channel(6)], links);
    expect(targets.map(({ channelId, dialogue }) => [channelId, dialogue?.id ?? null])).toEqual([
      [4, 70],
      [3, null],
      [5, null],
    ]);
  });

  it('include a dialogue without a link, and no inactive channel', () => {
    expect(
      findTargets([contactDialogue(70, 9)], [channel(3, false)], [{ channel_id: 3 }]).map((one) => one.channelId),
    ).toEqual([9]);
    expect(findTargets([], [channel(3)], [])).toEqual([]);
  });
});

it.each([
  ['text', null, 'Starts a new dialogue, owned by the bot.'],
  ['text', 'bot', 'Your message takes the dialogue over from the bot'],
  ['text', 'human', 'A human owns this dialogue and keeps it.'],
  ['prepared_message_id', 'bot', 'The bot keeps the dialogue.'],
  ['document_prompt_id', 'bot', 'The bot keeps the dialogue.'],
  ['prepared_message_id', 'human', 'keeps it'],
] as const)('after %s in a dialogue of %s: %s', (content, owner, text) => {
  expect(ownerAfterSending(content, owner === null ? null : { id: 1, owner })).toContain(text);
});

it.each(CONTENTS)("starts the form of %s with the API's defaults", (content) => {
  const values = valuesOf(sendFields(content, 1, []), null, SEND_DEFAULTS);
  const body = sendNew.body.parse({ contact_id: 1, text: 'x' });
  expect({ ...sendNew.query.parse({}), split: body.split }).toEqual(SEND_DEFAULTS);
  expect(values).toMatchObject(SEND_DEFAULTS);
  expect(values[content]).toBe('');
});
