import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { FatalError } from './process-life.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Who listens, in words, and the variables by which another place is given. */
export interface Listener {
  readonly what: string;
  readonly hostVariable: string;
  readonly portVariable: string;
}

/** Why a place cannot be had, as far as the person has to change something. A name that cannot be asked for now may be known later. */
const explain = (error: NodeJS.ErrnoException, { host, port }: ListenAddress, listener: Listener): Error => {
  const { what, hostVariable, portVariable } = listener;
  const reason = {
    EADDRINUSE: `the port is in use. Set ${portVariable} to a free port, or stop the other program`,
    EACCES: `ports below 1024 require privileges. Set ${portVariable} to another port`,
    EADDRNOTAVAIL: `this machine does not have this address. Set ${hostVariable} to one of its addresses`,
    EAFNOSUPPORT: `this machine has no addresses of this family. Set ${hostVariable} to one of its addresses`,
    ENOTFOUND: `unknown host name. Set ${hostVariable} to an address of this machine`,
  }[error.code ?? ''];
  if (reason === undefined) return error;
  return new FatalError(`${what} cannot listen on ${isIPv6(host) ? `[${host}]` : host}:${port}: ${reason}`, EXIT.configuration, error);
};

/** Throws a FatalError with exit code 78 where the address is at fault. Its cause has the code. */
export const listen = (server: Server, address: ListenAddress, listener: Listener): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(explain(error, address, listener));
    server.once('error', fail);
    server.listen(address.port, address.host, () => {
      server.off('error', fail);
      resolve();
    });
  });
