/** The public API of a product's outreach settings: for modules that simulate it. */
import type { Reader } from '../platform/db.ts';
import type { StoredSettings } from './settings.ts';
import { readStoredSettings } from './store/planSettings.ts';

/** Read a product's settings as they are stored; undefined if the product does not exist. */
export function readProductSettings(reader: Reader, productId: number): Promise<StoredSettings | undefined> {
  return readStoredSettings(reader, productId);
}
