/** A balancer in front of several server processes: one address, whose connections go to a running process. */
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  close(): Promise<void>;
}

/** Listen on `port` of loopback and pass each connection to the next of `targets` that accepts it. */
export async function startBalancer(port: number, targets: readonly number[]): Promise<Balancer> {
  const open = new Set<Socket>();
  let nextTarget = 0;

  function forward(client: Socket, tried: number): void {
    const target = targets[nextTarget++ % targets.length];
    if (target === undefined || tried >= targets.length || client.destroyed) return void client.destroy();
    const upstream = connect(target, '127.0.0.1');
    let connected = false;
    open.add(upstream);
    upstream.once('connect', () => {
      connected = true;
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => (connected ? client.destroy() : forward(client, tried + 1)));
    upstream.once('close', () => {
      open.delete(upstream);
      if (connected) client.destroy();
    });
    client.once('close', () => upstream.destroy());
  }

  const server = createServer((client) => {
    open.add(client);
    client.on('error', () => client.destroy());
    client.once('close', () => open.delete(client));
    forward(client, 0);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
