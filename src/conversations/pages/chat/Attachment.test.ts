import { expect, it } from 'vitest';
import { hasAttachment, isPlaceholder } from './Attachment.tsx';

it.each([
  ['an image without words', 'image', '[image]', 'https://cdn.example/1.jpg', true, true],
  ['an image whose link the vendor did not give', 'image', '[image]', null, true, true],
  ['an image with words', 'image', 'the plan', 'https://cdn.example/1.jpg', true, false],
  ['a kind that is not known, with a link', 'hologram', '[hologram]', 'https://cdn.example/1', true, true],
  ['a kind that is not known, without', 'hologram', '[hologram]', null, false, false],
  ['a missed call', 'missing_call', '[missing_call]', null, true, true],
  ['a reaction', 'reaction', '👍', null, true, false],
  ['an empty message', 'empty', '[empty message]', null, true, true],
  ['a message of an unknown kind', 'unknown', '[unknown kind: hologram]', null, true, false],
  ['a link that is none', 'file', '[file]', 'javascript:alert(1)', false, false],
  ['a text that looks like one', 'text', '[image]', null, false, false],
])('%s', (_name, kind, message, media_url, medium, placeholder) => {
  const parts = { kind, message, media_url };
  expect([hasAttachment(parts), isPlaceholder(parts)]).toEqual([medium, placeholder]);
});
