/** The variables that templates may use, and detection of others. Pure; shared by server and editor. */

/** Known variables. `lead.crm_fields.*` accepts any field. */
export const TEMPLATE_VARIABLES = [
  'lead.name',
  'lead.first_name',
  'lead.stage',
  'lead.crm_fields',
  'contact.contact',
  'contact.type',
  'product.name',
  'company.name',
  'document',
  'now',
] as const;

/** Any name is accepted below these. */
const OPEN_NAMESPACES = ['lead.crm_fields', 'document'];

export interface UnknownVariable {
  readonly path: string;
  /** Position in the text, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
}

// Neither pattern reads past another opening brace. Otherwise each opening would search for its end through the rest of
// the text, which blocked the process for two seconds with 100,000 braces.
const PLACEHOLDER = /\{\{-?((?:(?!\{[{%])[\s\S])*?)-?\}\}|\{%-?((?:(?!\{[{%])[\s\S])*?)-?%\}/g;
const RAW = /\{%-?\s*(raw|comment)\s*-?%\}(?:(?!\{%-?\s*\1\s*-?%\})[\s\S])*?\{%-?\s*end\1\s*-?%\}/g;
const QUOTED = /'[^']*'|"[^"]*"/g;
const WORD = /(?<![\w.])[a-zA-Z_][\w-]*(?:\.[a-zA-Z_][\w-]*|\[\d+\])*/g;
const TAG_WORDS = new Set([
  'if',
  'elsif',
  'else',
  'endif',
  'unless',
  'endunless',
  'for',
  'endfor',
  'in',
  'case',
  'when',
  'endcase',
  'render',
  'comment',
  'endcomment',
  'raw',
  'endraw',
  'and',
  'or',
  'not',
  'contains',
  'true',
  'false',
  'nil',
  'null',
  'empty',
  'blank',
  'limit',
  'offset',
  'reversed',
  'break',
  'continue',
  'forloop',
  'with',
  'as',
]);

/** Return the variables of a template that are not known. */
export function unknownVariables(template: string): UnknownVariable[] {
  const blank = (match: string) => ' '.repeat(match.length);
  const text = template.replace(RAW, blank);
  const loops = new Set([...text.matchAll(/\{%-?\s*for\s+(\w+)\s+in\b/g)].map((match) => match[1] ?? ''));
  const found: UnknownVariable[] = [];
  for (const place of text.matchAll(PLACEHOLDER)) {
    const inside = (place[1] ?? place[2] ?? '').replace(QUOTED, blank);
    const start = place.index + place[0].indexOf(place[1] ?? place[2] ?? '', 2);
    // Blank out filter names, which follow a bar, and named arguments, which precede a colon.
    const expression = inside.replace(/\|\s*\w+/g, blank).replace(/\b\w+\s*:/g, blank);
    for (const word of expression.matchAll(WORD)) {
      const path = word[0].replace(/\[\d+\]/g, '');
      const [head = ''] = path.split('.');
      if (loops.has(head) || head === 'forloop') continue;
      if (!path.includes('.') && TAG_WORDS.has(head) && place[2] !== undefined) continue;
      if (['true', 'false', 'nil', 'null', 'empty', 'blank'].includes(path)) continue;
      if (isTemplateVariable(path)) continue;
      found.push({ path, from: start + word.index, to: start + word.index + word[0].length });
    }
  }
  return found;
}

function isTemplateVariable(path: string): boolean {
  if (OPEN_NAMESPACES.some((one) => path === one || path.startsWith(`${one}.`))) return true;
  const names: readonly string[] = TEMPLATE_VARIABLES;
  // `lead` alone, and the `size` of lists.
  return names.includes(path) || names.some((one) => one.startsWith(`${path}.`) || path === `${one}.size`);
}
