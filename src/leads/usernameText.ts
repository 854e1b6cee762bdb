/** Telegram usernames as people write them, and the words that say that a name is something else. Pure. */

const USERNAME = /^[a-z][a-z0-9_]{3,31}$/;

/** Normalise a Telegram username; null if it is none. */
export function normaliseUsername(name: string): string | null {
  const lower = name.toLowerCase();
  return USERNAME.test(lower) ? lower : null;
}

/** What the first part of a path means on t.me, other than a username. https://core.telegram.org/api/links */
export const RESERVED_PATHS = new Set(
  (
    'joinchat c s a m k z g iv share addstickers addemoji addtheme addlist setlanguage bg proxy socks login confirmphone ' +
    'invoice giftcode contact boost call nft stars premium'
  ).split(' '),
);

/** Read a username that a person has typed: words that mean something else on t.me are none. */
export function typedUsername(name: string): string | null {
  const address = normaliseUsername(name);
  return address === null || RESERVED_PATHS.has(address) ? null : address;
}

/** Words that name no person even behind an @: everybody in a chat, and the names of fields. */
export const NOBODY = new Set(
  'everyone everybody here channel admins mail email gmail username user_name nickname telegram whatsapp none null undefined unknown empty'.split(
    ' ',
  ),
);
/** What people write into a cell that they leave empty, that stands for another cell, or that names a messenger. */
const PLACEHOLDERS = new Set(
  `absent hidden private closed secret later same ditto true false test testing nothing nobody noname name nick phone number
   mobile contact address notelegram no_telegram nousername no_username notg no_tg not_available unavailable missing blank
   skype viber instagram insta facebook vkontakte twitter tiktok youtube discord signal wechat linkedin threads snapchat
   netu niet nomer telefon pochta skryt otsutstvuet nein kein keine nada ninguno ninguna nenhum aucun rien nessuno yok
   todo skip dash deleted removed`.split(/\s+/),
);

/** Whether a word without an @ says that there is no username, or where it is. */
export function isPlaceholder(word: string): boolean {
  const lower = word.toLowerCase();
  return NOBODY.has(lower) || PLACEHOLDERS.has(lower);
}

/**
 * Whether a word without an @ may as well be a first or family name: letters alone, written like a name. A stranger may
 * have it as a username.
 */
export const mayBeName = (word: string): boolean => /^[A-Z](?:[a-z]+|[A-Z]+)$/.test(word);

// Other networks

const NETWORK = String.raw`insta(?:gram+)?|inst|инст(?:а|у|е|ы|аграм{1,2}(?:а|е|у)?)?|ig|vk(?:ontakte)?|вк|вконтакте|facebook|fb|фб|фейсбук(?:е)?|tik ?tok|tt|тик ?ток(?:е)?|тт|skype|скайп(?:е)?|twitter|твиттер(?:е)?|youtube|yt|ютуб(?:е)?|ютьюб(?:е)?|viber|вайбер(?:е)?|discord|дискорд(?:е)?|threads|тредс|odnoklassniki|одноклассник(?:и|ах)|wechat|вичат|weixin|snap(?:chat)?|снэ?пчат|linked ?in|линкедин|pinterest|пинтерест|twitch|твич|github|reddit|kakao(?:talk)?|imo|icq|аська|e-?mail|почт(?:а|е)|имейл|емейл`;
/** Names of networks that are common words as well: behind a name they count in brackets or behind "in" only. */
const COMMON_WORD = 'ok|ок|max|макс|line|signal|сигнал|mail|slack|zoom';
const TELEGRAM = 'telegram|telega|tg|тг|телеграм{1,2}|телега|телеге';
const AND = String.raw`\s*(?:[/,&+]|и|and|or|или)\s*`;
const COLON = String.raw`\s*[:=–—-]?\s*`;

const NETWORK_BEFORE = new RegExp(String.raw`(?:^|[\s,;|/(])(${NETWORK}|${COMMON_WORD})${COLON}$`, 'iu');
const TELEGRAM_BEFORE = new RegExp(
  String.raw`(?:^|[\s,;|/(])(?:${TELEGRAM})(?:${AND}(?:${NETWORK}|${COMMON_WORD}))?${COLON}$`,
  'iu',
);
const NETWORK_BEHIND = new RegExp(
  String.raw`^\s*(?:([,/])\s*)?(?:-\s+)?(?:(\()\s*)?((?:в|во|на|in|on)\s+)?(?:(${NETWORK})|(${COMMON_WORD}))(?![\p{L}\p{N}_])`,
  'iu',
);
const AND_TELEGRAM = new RegExp(String.raw`^${AND}(?:${TELEGRAM})(?!\p{L})`, 'iu');

/** A label before a username without an @. */
export const TELEGRAM_LABEL = new RegExp(String.raw`^\s*(?:${TELEGRAM})\s*[:=]\s*(?=[a-z])`, 'iu');

/** A first name that is the name of a network, too. */
const isFirstName = (word: string): boolean => word === 'Max' || word === 'Макс';

/**
 * Whether the words around a name say that it is one of another network. `next`: the name or link behind the words after
 * it, to which they may belong.
 */
export function isOfOtherNetwork(words: {
  readonly before: string;
  readonly after: string;
  readonly next: string;
}): boolean {
  if (TELEGRAM_BEFORE.test(words.before)) return false;
  const label = NETWORK_BEFORE.exec(words.before)?.[1];
  return (label !== undefined && !isFirstName(label)) || isNetworkBehind(words.after, words.next);
}

function isNetworkBehind(after: string, next: string): boolean {
  const match = NETWORK_BEHIND.exec(after);
  if (!match) return false;
  const [all, comma, bracket, preposition, , common] = match;
  const rest = after.slice(all.length);
  if (common !== undefined && (isFirstName(common) || (bracket === undefined && preposition === undefined)))
    return false;
  if (AND_TELEGRAM.test(rest)) return false;
  if (bracket !== undefined) return true;
  // With a colon, behind a comma, or before a number or link, the word is the label of what follows.
  if (/^\s*(?:[:=–—-]|\(?[+\d])/.test(rest)) return false;
  const isLast = rest.trim() === '';
  if (isLast && next !== '' && !next.startsWith('@')) return false;
  return comma === undefined || (isLast && next === '');
}
