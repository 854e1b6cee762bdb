/** Parse JSON from the vendor; null if it is invalid. Its texts are made storable: no zero characters, no half emoji. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value) =>
      typeof value === 'string' ? value.replaceAll('\u0000', '').toWellFormed() : value,
    );
  } catch {
    return null;
  }
}
