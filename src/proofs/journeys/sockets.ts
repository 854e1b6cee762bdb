/** Breaks a page's WebSockets as a browser or a network would. */
import type { Page } from '@playwright/test';

type Fault = 'connect' | 'send' | 'state';

/** Replace the WebSocket class of later documents; returns a function that switches faults of sockets to `path`. */
export async function breakableSockets(page: Page, path: string, faults: Partial<Record<Fault, boolean>> = {}) {
  await page.addInitScript(
    ([broken, address]) => {
      const Real = window.WebSocket;
      Object.assign(window, { broken });
      window.WebSocket = class extends Real {
        readonly breaks: boolean;
        constructor(url: string | URL) {
          const breaks = String(url).includes(address);
          super(breaks && broken.connect ? String(url).replace('/v1/', '/nowhere/') : url);
          this.breaks = breaks;
        }
        override send(data: string) {
          if (this.breaks && broken.send) throw new Error('broken');
          super.send(data);
        }
        override get readyState() {
          return this.breaks && broken.state ? Real.CLOSING : super.readyState;
        }
      };
    },
    [faults, path] as const,
  );
  return (changed: Partial<Record<Fault, boolean>>) =>
    page.evaluate((more) => void Object.assign((window as unknown as { broken: object }).broken, more), changed);
}
