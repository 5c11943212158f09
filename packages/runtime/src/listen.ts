import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { EXIT } from '@sheaf/contract';
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
    EADDRINUSE: `another program uses it. Set ${portVariable} to a free port, or end that program`,
    EACCES: `ports below 1024 need rights. Set ${portVariable} to another one`,
    EADDRNOTAVAIL: `this machine has no such address. Set ${hostVariable} to one that it has`,
    EAFNOSUPPORT: `this machine has no addresses of that kind. Set ${hostVariable} to one that it has`,
    ENOTFOUND: `no machine has that name. Set ${hostVariable} to an address that this machine has`,
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
