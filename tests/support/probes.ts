import { once } from 'node:events';
import { createServer } from 'node:net';

/** The network probes in hostile files call here, and no test does: for an address where nobody listens they take port 1. */
const PROBE = { host: '127.0.0.1', port: 9 };

/** Counts who calls the address of the probes, where this user may listen there. */
export const listenForProbes = async (): Promise<{ readonly calls: string[] } & AsyncDisposable> => {
  const calls: string[] = [];
  const server = createServer((socket) => {
    calls.push(`from port ${socket.remotePort}`);
    socket.on('error', () => {});
    socket.destroy();
  });
  try {
    await once(server.listen(PROBE), 'listening');
  } catch (error) {
    process.stderr.write(`not listening for network probes on port ${PROBE.port}: ${String(error)}\n`);
  }
  return {
    calls,
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
};
