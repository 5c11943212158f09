import { type AppError, reasonedError, requestTimeout, validationError } from '@sheaf/contract';
import { type Deadline, withinDeadline } from '@sheaf/db';
import type { Request, Response } from 'express';
import { type BodyPace, watchPace } from './body-pace.ts';

const PROBE_AFTER_MS = 60_000;

const limitOf = (limitMs: number) => ({ limit_seconds: limitMs / 1_000 });

/**
 * The time that a request has (REQUEST_TIMEOUT). When it is over the answer is an error, `signal` aborts, and what the work still asks
 * of the database is refused, so that nothing more comes of it. The statement under way is ended by the server itself
 * (statement_timeout of the api's pool, the same time): that needs no second connection, which there may not be when everything
 * is slow, and holds when this process is gone. So no work outlives its answer by more than one statement.
 */
export class RequestDeadline implements Deadline {
  readonly #limitMs: number;
  readonly #response: Response;
  /** Made when somebody asks for its signal: most answers are done before anyone would look at it. */
  #ended: AbortController | undefined;
  #isClosed = false;
  readonly #expired = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;
  #over: AppError | undefined;
  #isDone = false;

  constructor(limitMs: number, response: Response) {
    this.#limitMs = limitMs;
    this.#response = response;
    response.once('close', () => {
      this.lift();
      this.#isClosed = true;
      this.#ended?.abort();
    });
  }

  /** Undefined again when the work has ended: what it left behind, such as a connection that is kept, is not its own any more. */
  get over(): AppError | undefined {
    return this.#isDone ? undefined : this.#over;
  }

  /** Aborted when the client is gone or the time is over. */
  get signal(): AbortSignal {
    if (this.#ended === undefined) {
      this.#ended = new AbortController();
      if (this.#over !== undefined) this.#ended.abort(this.#over);
      else if (this.#isClosed) this.#ended.abort();
    }
    return this.#ended.signal;
  }

  /** Does `work`, or rejects with what `over` says when the time is over before. */
  run(work: () => Promise<void>): Promise<void> {
    this.#begin(requestTimeout);
    const working = withinDeadline(this, work).finally(() => {
      this.#isDone = true;
    });
    return Promise.race([working, this.#expired.promise]).finally(() => this.lift());
  }

  /** Waits for what the client sends, for which it has the same time once more: being slow is its own mistake then. */
  async whileReading<T>(read: () => Promise<T>): Promise<T> {
    this.#begin(() => this.#tooSlow(validationError('The request body was not received in time.', limitOf(this.#limitMs))));
    const body = await read();
    this.#begin(requestTimeout);
    return body;
  }

  /** Takes the limit away, for what may take long as long as bytes flow. */
  lift(): void {
    clearTimeout(this.#timer);
  }

  /**
   * Takes the limit away for work that may take long before the first byte of its answer, and with it the one of a connection on which nothing moves.
   * Node sets that one again for the next request. A client that vanished is noticed by probes of TCP.
   */
  liftForLongWork({ socket }: Request): void {
    this.lift();
    socket.setTimeout(0);
    socket.setKeepAlive(true, PROBE_AFTER_MS);
  }

  /** Takes the limit away for an upload, whose bytes have to keep pace instead. */
  keepPace(request: Request, pace: BodyPace): void {
    this.lift();
    watchPace(request, pace, () =>
      this.#end(() => this.#tooSlow(reasonedError('VALIDATION_ERROR', 'upload_too_slow', limitOf(pace.windowMs)))),
    );
  }

  #tooSlow(error: AppError): AppError {
    this.#response.shouldKeepAlive = false; // the rest of the body is not waited for
    return error;
  }

  #begin(makeError: () => AppError): void {
    if (this.#over !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(makeError), this.#limitMs);
  }

  #end(makeError: () => AppError): void {
    // half an answer is out: its bytes flow, or the limit of the connection ends it
    if (this.#over !== undefined || this.#response.headersSent) return;
    this.#over = makeError();
    this.#ended?.abort(this.#over);
    this.#expired.reject(this.#over);
  }
}
