/**
 * Reads which installation of a model answered from the first piece of its stream (OpenAI API reference,
 * `system_fingerprint`). Reads the raw stream because the SDK does not expose the field, and enabling the SDK's raw
 * chunks costs as much as the answer itself (measured: a quarter of all work with a thousand concurrent streams).
 */

/** Characters searched: the field always occurs within the first piece. */
const MAX_PREFIX = 4096;

/** Wrap `fetch`; `onFingerprint` receives the fingerprint if the answer has one. */
export function captureFingerprint(
  fetch: typeof globalThis.fetch,
  onFingerprint: (fingerprint: string) => void,
): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (!answer.ok || !answer.body) return answer;
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    let prefix = '';
    let isDone = false;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (!isDone) {
          prefix += decoder.decode(value, { stream: true });
          const found = /"system_fingerprint"\s*:\s*"([^"\\]{1,200})"/.exec(prefix)?.[1];
          if (found !== undefined) onFingerprint(found);
          isDone = found !== undefined || prefix.length > MAX_PREFIX;
        }
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    });
    return new Response(body, { status: answer.status, statusText: answer.statusText, headers: answer.headers });
  };
}
