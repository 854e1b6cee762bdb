/** Consoles that listen to the live stream. */
import { type Agent, get } from 'node:http';

export interface LiveTarget {
  readonly url: string;
  /** Empty for a server without sessions. */
  readonly cookie: string;
  readonly agent?: Agent;
}

/** Open a live stream and call back with the data of each event. Resolves, when it is open, to what closes it. */
export function openLiveStream(
  { url, cookie, agent }: LiveTarget,
  onEvent: (data: string) => void,
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { ...(agent ? { agent } : {}), headers: cookie ? { cookie } : {} }, (answer) => {
      if (answer.statusCode !== 200) return reject(new Error(`${url} was answered ${answer.statusCode ?? 0}`));
      let rest = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        const events = `${rest}${text}`.split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) if (event.startsWith('data: ')) onEvent(event.slice(6));
      });
      answer.on('error', () => undefined);
      resolve(() => request.destroy());
    });
    request.on('error', reject);
  });
}
