import type { FixedConfig } from '@sheaf/config';
import type { Db } from '@sheaf/db';
import { formatWalPosition, parseWalPosition, type ReadReplica, type WalPosition } from '@sheaf/db/replica';
import { Counter, type Registry } from '@sheaf/process';
import type { Request, Response } from 'express';
import { cookieName, readCookie, writeCookie } from '../auth/session-cookie.ts';

/** What a change answers with, and a question may come with: where the database was after the change. */
export const POSITION_HEADER = 'X-Database-Position';

/** A replica that is further behind is not worth waiting for. */
const COOKIE_LIFE_MS = 60_000;

const furthest = (positions: readonly (WalPosition | undefined)[]): WalPosition =>
  positions.reduce<WalPosition>((most, position) => (position !== undefined && position > most ? position : most), 0n);

/** Chooses the database that answers a question: one that has what the caller did, at this api or, by what the request carries, at another. */
export class ReadDatabase {
  readonly primary: Db;
  readonly #replica: ReadReplica | undefined;
  readonly #cookie: FixedConfig['sessions']['cookie'];
  readonly #answers: Counter;

  constructor(primary: Db, replica: ReadReplica | undefined, { sessions }: Pick<FixedConfig, 'sessions'>, registry: Registry) {
    this.primary = primary;
    this.#replica = replica;
    this.#cookie = sessions.cookie;
    this.#answers = new Counter({
      name: 'sheaf_database_reads_total',
      help: 'Requests that a read replica may answer, by the server that did',
      labelNames: ['source'],
      registers: [registry],
    });
  }

  #cookieName(request: Request): string {
    return cookieName(`${this.#cookie.name}_position`, this.#cookie, request.secure);
  }

  /** Runs `answer` on a replica that is up to date, and on the primary where there is none or it fails. `answer` changes nothing. */
  async answer<T>(request: Request, answer: (db: Db) => Promise<T>): Promise<T> {
    const replica = this.#replica;
    if (replica === undefined) return answer(this.primary);
    const source = await replica.choose(this.#requiredBy(request));
    try {
      const answered = await answer(source.db);
      this.#count(source.isReplica);
      return answered;
    } catch (error) {
      if (!source.isReplica || !replica.mayRetry(error)) throw error;
      this.#count(false);
      return answer(this.primary);
    }
  }

  /** Holds the answer to a change back until it is known from where on others see the change. */
  noteBeforeAnswer(request: Request, response: Response): void {
    const replica = this.#replica;
    if (replica === undefined) return;
    const end = response.end.bind(response) as (...given: unknown[]) => Response;
    response.end = ((...given: unknown[]) => {
      if (response.headersSent) return end(...given);
      void replica.noteChange().then((position) => {
        if (position !== undefined && !response.headersSent) this.#sendPosition(position, request, response);
        end(...given);
      });
      return response;
    }) as Response['end'];
  }

  #sendPosition(position: WalPosition, request: Request, response: Response): void {
    const text = formatWalPosition(position);
    response.set(POSITION_HEADER, text);
    if (request.headers.cookie === undefined) return;
    const attributes = { httpOnly: true, expiresAt: new Date(Date.now() + COOKIE_LIFE_MS) };
    response.append('Set-Cookie', writeCookie(this.#cookieName(request), text.replace('/', '-'), this.#cookie, request.secure, attributes));
  }

  #requiredBy(request: Request): WalPosition {
    const { cookie } = request.headers;
    const kept = cookie === undefined ? undefined : readCookie(cookie, this.#cookieName(request));
    return furthest([parseWalPosition(request.get(POSITION_HEADER) ?? ''), parseWalPosition((kept ?? '').replace('-', '/'))]);
  }

  #count(isReplica: boolean): void {
    this.#answers.inc({ source: isReplica ? 'replica' : 'primary' });
  }
}
