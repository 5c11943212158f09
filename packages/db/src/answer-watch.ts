import { connect } from 'node:net';

const LOOK_EVERY_MS = 1_000;
/** Whose answer takes longer is asked whether it can still be reached. */
const SILENCE_MS = 3_000;
const REACH_LIMIT_MS = 5_000;
const UNREACHABLE_CODES = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN']);

/** Where a server is. */
export interface WatchedServer {
  readonly hostname: string;
  readonly port: number;
  /** As people are notified of it. */
  readonly place: string;
  /** Whether it is on this machine, which cannot go without it. */
  readonly isSocket: boolean;
}

interface Waiting {
  sinceMs: number;
  readonly abandon: (error: Error) => void;
}

/** The server cannot be reached, and did not close its connections. `isDatabaseUnavailable` knows its code. */
export class SilentServer extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(place: string) {
    super(`the database server at ${place} did not answer, and cannot be reached`);
  }
}

/** Whether a connection can be made, or is refused: a host that is there has said so. */
const isReachable = ({ hostname, port }: WatchedServer): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname, port });
    socket.setTimeout(REACH_LIMIT_MS);
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', (error: NodeJS.ErrnoException) => settle(!UNREACHABLE_CODES.has(error.code ?? '')));
  });

/**
 * Watches statements that wait for their answer. A host that loses its power or its network closes no connection, and TCP would go on for a
 * quarter of an hour before it gives up. A statement may take long; so the host is asked for a connection, and only when it cannot be
 * reached are its statements abandoned.
 */
export class AnswerWatch<Server extends WatchedServer> {
  readonly #onGone: (server: Server) => void;
  readonly #waiting = new Map<Server, Set<Waiting>>();
  readonly #asked = new Set<Server>();
  #isWaitingToLook = false;

  constructor(onGone: (server: Server) => void) {
    this.#onGone = onGone;
  }

  /** Notes that `server` owes an answer; `abandon` is called when it will not come. Returns what notes that it came. */
  expect(server: Server, abandon: (error: Error) => void): () => void {
    if (server.isSocket) return () => {};
    let expected = this.#waiting.get(server);
    if (expected === undefined) this.#waiting.set(server, (expected = new Set()));
    const waiting = { sinceMs: performance.now(), abandon };
    expected.add(waiting);
    this.#lookIn(SILENCE_MS); // nothing is silent for so long before
    return () => void expected.delete(waiting);
  }

  #lookIn(ms: number): void {
    if (this.#isWaitingToLook) return;
    this.#isWaitingToLook = true;
    setTimeout(() => {
      this.#isWaitingToLook = false;
      this.#look();
    }, ms).unref();
  }

  #look(): void {
    const silentSinceMs = performance.now() - SILENCE_MS;
    let isIdle = true;
    for (const [server, expected] of this.#waiting) {
      if (expected.size > 0) isIdle = false;
      for (const { sinceMs } of expected)
        if (sinceMs < silentSinceMs) {
          void this.#ask(server, expected);
          break;
        }
    }
    if (!isIdle) this.#lookIn(LOOK_EVERY_MS);
  }

  async #ask(server: Server, expected: ReadonlySet<Waiting>): Promise<void> {
    if (this.#asked.has(server)) return;
    this.#asked.add(server);
    const askedMs = performance.now();
    const isThere = await isReachable(server);
    this.#asked.delete(server);
    if (isThere) {
      for (const waiting of expected) waiting.sinceMs = Math.max(waiting.sinceMs, askedMs);
      return;
    }
    this.#onGone(server);
    for (const { abandon } of expected) abandon(new SilentServer(server.place));
  }
}
