/**
 * Create a loader that batches lookups of single keys. All keys requested within one task go to `read` together, at
 * most `maxBatch` per call and each only once. Keys missing from the result are rejected; a failed `read` rejects all
 * of its keys.
 */
export function createBatchLoader<K, V>(
  read: (keys: readonly K[]) => Promise<ReadonlyMap<K, V>>,
  maxBatch: number,
): (key: K) => Promise<V> {
  let pending: Map<K, PromiseWithResolvers<V>> | null = null;

  function flush(): void {
    const asked = [...(pending ?? [])];
    pending = null;
    for (let from = 0; from < asked.length; from += maxBatch) void loadBatch(asked.slice(from, from + maxBatch));
  }

  async function loadBatch(asked: readonly [K, PromiseWithResolvers<V>][]): Promise<void> {
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
    if (pending === null) {
      pending = new Map();
      // Rows request their keys one after another while they mount. The rows of one list do so within one task.
      setTimeout(flush);
    }
    const existing = pending.get(key);
    if (existing) return existing.promise;
    const asked = Promise.withResolvers<V>();
    pending.set(key, asked);
    return asked.promise;
  };
}
