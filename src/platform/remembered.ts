/** Longer texts are not remembered: their number is bounded, and so is what they take. */
const MAX_LENGTH = 200;

/**
 * Return a pure function of a text that remembers its results: those of the last `size` different texts at least, and of at
 * most twice as many.
 */
export function remembered<Result>(size: number, compute: (text: string) => Result): (text: string) => Result {
  let recent = new Map<string, Result>();
  let older = new Map<string, Result>();
  return (text) => {
    const result = recent.get(text);
    if (result !== undefined) return result;
    const computed = older.get(text) ?? compute(text);
    if (text.length > MAX_LENGTH) return computed;
    if (recent.size >= size) [recent, older] = [new Map(), recent];
    recent.set(text, computed);
    return computed;
  };
}
