/** What a text says once nothing of it is hidden any more: each way of hiding, undone. */

/** The text as it stands, and each other reading of it that differs. */
export function revealed(text: string): string[] {
  const plain = visible(text);
  const readings = [
    text,
    plain,
    plain.normalize('NFKC'),
    latin(plain),
    turned(text),
    unescaped(plain),
    untagged(plain),
    tagsIn(text),
    ...fromBase64(plain),
  ];
  return [...new Set(readings.map((one) => one.trim()).filter((one) => one !== ''))];
}

/** Without the characters that nobody sees. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, '').replaceAll(/[\u2028\u2029]/g, '\n');

const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  с: 'c',
  е: 'e',
  о: 'o',
  р: 'p',
  х: 'x',
  у: 'y',
  і: 'i',
  ѕ: 's',
  ԁ: 'd',
};

/** Letters that look like Latin ones, read as these where Latin ones stand too. */
function latin(text: string): string {
  return /[a-z]/i.test(text) ? text.replaceAll(/[асеорхуіѕԁ]/g, (char) => LOOKALIKES[char] ?? char) : text;
}

/** What was turned round is turned back. */
const turned = (text: string): string =>
  text.replaceAll(/\u202e([^\u202c]*)\u202c?/g, (_whole, inner: string) => Array.from(inner).toReversed().join(''));

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" };

function unescaped(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/&#(?:x([0-9a-f]{1,5})|(\d{1,6}));/gi, (_whole, hex: string | undefined, digits: string) =>
      String.fromCodePoint(hex === undefined ? Number(digits) : Number.parseInt(hex, 16)),
    )
    .replaceAll(/&(quot|amp|lt|gt|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

const untagged = (text: string): string => text.replaceAll(/<!--|-->|<[^<>]{0,200}>|[`*#]/g, ' ');

/** What tag characters spell. */
function tagsIn(text: string): string {
  return Array.from(text)
    .map((char) => (char.codePointAt(0) ?? 0) - 0xe0000)
    .filter((code) => code >= 0x20 && code < 0x7f)
    .map((code) => String.fromCharCode(code))
    .join('');
}

function fromBase64(text: string): string[] {
  return (text.match(/[A-Za-z0-9+/]{16,}={0,2}/g) ?? []).flatMap((piece) => {
    const read = Buffer.from(piece, 'base64').toString('utf8');
    return /^[\p{L}\p{N}\p{P}\p{S}\s]+$/u.test(read) && !read.includes('\ufffd') ? [read] : [];
  });
}
