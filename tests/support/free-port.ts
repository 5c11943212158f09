import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Below the ports that systems give to connections, and to servers that ask for any: nobody else gets one of these by chance. */
const FIRST = 20_000;
const BEHIND_LAST = 32_000;

/** Whether nobody else who asks here gets the port, up to the end of this process: the number is held where no program of ours listens. */
const reserve = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => server.close(() => resolve(true)));
  });

/**
 * A port of this machine for a program that is started later, or again at the same address. It is this process's own: dozens of
 * tests ask for one at once, and a program that came too late would leave its test to the server of another.
 */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < 1_000; tries += 1) {
    const port = randomInt(FIRST, BEHIND_LAST);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
  throw new Error(`No port is free from ${FIRST} to ${BEHIND_LAST}`);
};
