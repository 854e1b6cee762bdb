/**
 * A look-up of single keys that asks for all keys of the same moment at once: `read` gets at most `most` of them, each
 * once. A key that `read` does not answer is rejected; a failed `read` fails its keys.
 */
export function gathered<K, V>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  most: number,
): (key: K) => Promise<V> {
  let waiting: Map<K, PromiseWithResolvers<V>> | null = null;

  function leave(): void {
    const asked = [...(waiting ?? [])];
    waiting = null;
    for (let from = 0; from < asked.length; from += most) void answer(asked.slice(from, from + most));
  }

  async function answer(asked: readonly [K, PromiseWithResolvers<V>][]): Promise<void> {
    try {
      const found = await read(asked.map(([key]) => key));
      for (const [key, { resolve, reject }] of asked) {
        const value = found.get(key);
        if (value === undefined) reject(new Error(`Nothing was found for ${String(key)}`));
        else resolve(value);
      }
    } catch (error) {
      for (const [, { reject }] of asked) reject(error);
    }
  }

  return (key) => {
    if (waiting === null) {
      waiting = new Map();
      // Rows ask one after the other while they are mounted: those of one list do so within one task.
      setTimeout(leave);
    }
    const known = waiting.get(key);
    if (known) return known.promise;
    const asked = Promise.withResolvers<V>();
    waiting.set(key, asked);
    return asked.promise;
  };
}
