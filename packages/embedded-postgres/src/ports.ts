import { createServer } from 'node:net';

/** `port` when nobody listens on it on 127.0.0.1, otherwise undefined. 0 gives any free one. */
export const findFree = (port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
