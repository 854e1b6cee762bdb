import { expect, it } from 'vitest';
import { hasAttachment, isPlaceholder } from './Attachment.tsx';

it.each([
  ['an image without words', 'image', '[image]', 'https://cdn.example/1.jpg', true, true],
  ['an image whose link the vendor did not give', 'image', '[image]', null, true, true],
  ['an image with words', 'image', 'the plan', 'https://cdn.example/1.jpg', true, false],
  ['a kind that is not known, with a link', 'sticker', '[sticker]', 'https://cdn.example/1', true, true],
  ['a kind that is not known, without', 'missing_call', '[missing_call]', null, false, false],
  ['a link that is none', 'file', '[file]', 'javascript:alert(1)', false, false],
  ['a text that looks like one', 'text', '[image]', null, false, false],
])('%s', (_name, kind, message, media_url, medium, placeholder) => {
  const parts = { kind, message, media_url };
  expect([hasAttachment(parts), isPlaceholder(parts)]).toEqual([medium, placeholder]);
});
