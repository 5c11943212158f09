import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { makeProblem } from '@sheaf/contract/operations';
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
  const [code, variable] =
    (
      {
        EADDRINUSE: ['listen_address_in_use', portVariable],
        EACCES: ['listen_port_privileged', portVariable],
        EADDRNOTAVAIL: ['listen_address_missing', hostVariable],
        EAFNOSUPPORT: ['listen_family_missing', hostVariable],
        ENOTFOUND: ['listen_host_unknown', hostVariable],
      } as const
    )[error.code ?? ''] ?? [];
  if (code === undefined) return error;
  const details = { listener: what, address: `${isIPv6(host) ? `[${host}]` : host}:${port}`, variable };
  return new FatalError(makeProblem(code, details), EXIT.configuration, error);
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
