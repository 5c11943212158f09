import type { Db } from '@sheaf/db';
import type { Clock } from '@sheaf/process';
import { type Client, originsOf } from './client.ts';
import { makeRandomToken } from './one-time-tokens.ts';
import { isKnownOrigin, recordOrigins } from './queries/known-devices.ts';

export interface KnownDevicesDeps {
  readonly db: Db;
  readonly clock: Clock;
}

/** Where users have signed in before. Failures of strangers do not hold up who comes from there (see Lockout). */
export class KnownDevices {
  readonly #deps: KnownDevicesDeps;

  constructor(deps: KnownDevicesDeps) {
    this.#deps = deps;
  }

  /**
   * Notes a whole sign-in of a browser. Answers the cookie by which it is known again; a value that this service did not give is
   * replaced.
   */
  async recordBrowser(userId: string, client: Client): Promise<string> {
    const { device } = originsOf(client);
    const isOurs = device !== undefined && (await isKnownOrigin(this.#deps.db, device));
    const cookie = isOurs && client.device !== undefined ? client.device : makeRandomToken();
    await this.#record(userId, { ...client, device: cookie });
    return cookie;
  }

  /** The same of a program, which keeps no cookies and is known by its address. */
  recordProgram(userId: string, client: Client): Promise<void> {
    return this.#record(userId, { ...client, device: undefined });
  }

  async #record(userId: string, client: Client): Promise<void> {
    const { db, clock } = this.#deps;
    const { device, address } = originsOf(client);
    const origins = [device, address].filter((origin) => origin !== undefined);
    await db.transaction((tx) => recordOrigins(tx, userId, origins, clock.now()));
  }
}
