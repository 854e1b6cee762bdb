/**
 * The kinds of messages: what a person can do in a chat, what each means to the conversation, and what operators read.
 * One table for drivers, the server and the console. A message's kind is stored under its name here.
 */

/**
 * What a message of a kind asks of us. `turn`: an answer. `sign`: an answer only if it says something that one would
 * answer, like the text that it stands for (a thumbs-up to a question). `activity`: nothing; the lead is there. `call`,
 * `order`, `payment`, `unreadable`: a human, since the bot cannot see to it. `notice`: nothing; no person wrote it.
 */
type KindRole = 'turn' | 'sign' | 'activity' | 'call' | 'order' | 'payment' | 'unreadable' | 'notice';

interface KindFacts {
  readonly role: KindRole;
  readonly label: string;
  /** Without words, nobody can tell what was chosen: a human has to look at the phone. */
  readonly needsText?: true;
}

const KINDS = {
  text: { role: 'turn', label: 'Text' },
  image: { role: 'turn', label: 'Image' },
  video: { role: 'turn', label: 'Video' },
  GIF: { role: 'turn', label: 'GIF' },
  'video note': { role: 'turn', label: 'Video note' },
  'voice message': { role: 'turn', label: 'Voice message' },
  document: { role: 'turn', label: 'Document' },
  'contact card': { role: 'turn', label: 'Contact card' },
  location: { role: 'turn', label: 'Location' },
  'live location': { role: 'turn', label: 'Live location' },
  poll: { role: 'turn', label: 'Poll', needsText: true },
  'poll vote': { role: 'turn', label: 'Poll vote', needsText: true },
  'button reply': { role: 'turn', label: 'Button pressed', needsText: true },
  'list reply': { role: 'turn', label: 'List item chosen', needsText: true },
  'form reply': { role: 'turn', label: 'Form filled in', needsText: true },
  'product inquiry': { role: 'turn', label: 'Question about a product' },
  'story reply': { role: 'turn', label: 'Story' },
  checklist: { role: 'turn', label: 'Checklist', needsText: true },
  sticker: { role: 'sign', label: 'Sticker' },
  reaction: { role: 'sign', label: 'Reaction' },
  'removed reaction': { role: 'activity', label: 'Reaction removed' },
  dice: { role: 'activity', label: 'Dice' },
  game: { role: 'activity', label: 'Game' },
  missing_call: { role: 'call', label: 'Missed call' },
  order: { role: 'order', label: 'Order' },
  payment: { role: 'payment', label: 'Payment' },
  gift: { role: 'unreadable', label: 'Gift' },
  invite: { role: 'unreadable', label: 'Invitation' },
  event: { role: 'unreadable', label: 'Event' },
  'view-once media': { role: 'unreadable', label: 'View-once media' },
  empty: { role: 'unreadable', label: 'Empty message' },
  unsupported: { role: 'unreadable', label: 'Unsupported message' },
  unknown: { role: 'unreadable', label: 'Message of an unknown kind' },
  system: { role: 'notice', label: 'Notice' },
} as const satisfies Readonly<Record<string, KindFacts>>;
export type MessageKind = keyof typeof KINDS;

/** The kind of a notice from the messenger itself, written by no person. */
export const SYSTEM_NOTICE = 'system';

const factsOf = (kind: string): KindFacts | null => Object.entries(KINDS).find(([name]) => name === kind)?.[1] ?? null;

/** Return what a message asks of us. A kind that the table does not have is a medium of an older version. */
export function roleOf({ kind, text }: { readonly kind: string; readonly text: string }): KindRole {
  const facts = factsOf(kind);
  if (!facts) return 'turn';
  const isBlank = text.trim() === '' || text === placeholderOf(kind);
  return facts.needsText && isBlank ? 'unreadable' : facts.role;
}

/** Return what a thread shows for a message without words. */
export const placeholderOf = (kind: string): string => `[${kind === 'empty' ? 'empty message' : kind}]`;

/** Return what operators call a kind; null for one that the table does not have. */
export const kindLabel = (kind: string): string | null => factsOf(kind)?.label ?? null;

/** Return the kinds that have a role. */
export const kindsOfRole = (role: KindRole): readonly string[] =>
  Object.entries<KindFacts>(KINDS).flatMap(([kind, facts]) => (facts.role === role ? [kind] : []));
