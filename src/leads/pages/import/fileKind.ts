/** Says what a file is that is no CSV, whatever its name. Pure. */
import { t } from '../../../ui/i18n.ts';

const MAGIC: readonly (readonly [start: string, kind: () => string])[] = [
  ['\xd0\xcf\x11\xe0', () => t('an Excel workbook (.xls)')],
  ['%PDF', () => t('a PDF document')],
  ['\x1f\x8b', () => t('a compressed file (.gz)')],
  ['Rar!', () => t('a compressed file (.rar)')],
  ['7z\xbc\xaf', () => t('a compressed file (.7z)')],
  ['{\\rtf', () => t('a text document (.rtf)')],
  ['SQLite format 3', () => t('a database')],
  ['\x89PNG', () => t('a picture')],
  ['\xff\xd8\xff', () => t('a picture')],
];

/** Return what the bytes are; null if they may be text. */
export function binaryKind(bytes: Uint8Array): string | null {
  const latin = (part: Uint8Array) => String.fromCharCode(...part);
  const start = latin(bytes.subarray(0, 16));
  if (start.startsWith('PK\x03\x04')) return archiveKind(latin(bytes.subarray(0, 4096)) + latin(bytes.subarray(-4096)));
  return MAGIC.find(([magic]) => start.startsWith(magic))?.[1]() ?? null;
}

function archiveKind(text: string): string {
  if (text.includes('opendocument.spreadsheet')) return t('an OpenDocument spreadsheet (.ods)');
  if (text.includes('xl/') || text.includes('[Content_Types].xml')) return t('an Excel workbook (.xlsx)');
  if (text.includes('Index/')) return t('a Numbers spreadsheet');
  return t('a compressed file (.zip)');
}

/** Return what a text is; null if it may be a table. */
export function textKind(text: string): string | null {
  const start = text.slice(0, 2000).trimStart();
  if (/^<(?:!doctype html|html|head|body|table|meta|style)\b/i.test(start)) return t('a web page (HTML)');
  if (/^<(?:\?xml|workbook)\b/i.test(start)) return /<html\b/i.test(start) ? t('a web page (HTML)') : t('an XML file');
  if (/^BEGIN:VCARD/i.test(start)) return t('a file of contacts (vCard)');
  if (/^(?:\[\s*[[{]|\{\s*")/.test(start)) return t('a JSON file');
  return null;
}
