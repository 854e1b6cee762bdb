/** What people and exports write into a cell that they leave empty. Pure. */

const WORDS = [
  'n/?a|n\\.a\\.?|n/d|none|null|nil|nan|undefined|unknown|empty|no|not (?:set|specified|provided|available|known)',
  'no (?:number|phone|telegram|whatsapp|data|contact)|#n/a|#н/д|н/д|б/н',
  'нет|нету|пусто|не (?:указан|указана|указано|указаны|указал|указала|задан|задано|заполнен|заполнено|известен|известно)',
  'неизвестно|неизвестен|отсутствует|нет (?:номера|телефона|телеграма|ватсапа|вотсапа|данных|контакта)',
];
const PLACEHOLDER = new RegExp(`^(?:[\\p{Pd}\\s._…?/\\\\]+|0+|${WORDS.join('|')})$`, 'iu');

/** Whether a text only says that there is nothing: `-`, `0`, `n/a`, `не указан`. */
export const isPlaceholder = (text: string): boolean => PLACEHOLDER.test(text.trim());
