/** Texts with errors go live only when an operator has confirmed each error by name. */
import { CONFIRMABLE } from '../platform/confirmable.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { MAX_DETAILS, ValidationError } from '../platform/http/errors.ts';
import { type PromptTexts, subprompts } from './store.ts';
import { subpromptNames } from './template.ts';
import { findTemplateErrors, type TemplateError, templateErrorText } from './templateErrors.ts';

interface LiveTexts {
  readonly productId: number;
  readonly texts: readonly string[];
  /** The errors that the operator confirms, as `templateErrorText` words them. */
  readonly confirmed: readonly string[] | undefined;
  /** The field of the body that has them, or names what has them. */
  readonly loc: readonly (string | number)[];
}

/** Refuse (422) texts whose errors were not all confirmed. The refusal lists each error once. */
export async function requireConfirmedErrors(
  tx: Tx,
  { productId, texts, confirmed = [], loc }: LiveTexts,
): Promise<void> {
  const found = await readTemplateErrors(tx, { productId, texts, includes: 'live' });
  const errors = [...new Set(found.map(templateErrorText))];
  const open = errors.filter((error) => !confirmed.includes(error)).slice(0, MAX_DETAILS);
  if (open.length === 0) return;
  throw new ValidationError(open.map((msg) => ({ loc: ['body', ...loc], msg, type: CONFIRMABLE })));
}

/** Return the errors of texts, which may include the product's subprompts that have such a text. */
export async function readTemplateErrors(
  reader: Reader,
  { productId, texts, includes }: Pick<LiveTexts, 'productId' | 'texts'> & { readonly includes: PromptTexts },
): Promise<TemplateError[]> {
  const names = texts.flatMap(subpromptNames);
  const found = names.length === 0 ? [] : await subprompts(reader, { productId, names, texts: includes });
  const existing = new Set(found.map(({ name }) => name));
  return texts.flatMap((text) => findTemplateErrors(text, existing));
}
