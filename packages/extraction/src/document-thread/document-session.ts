import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { errorCode } from '@sheaf/contract';
import type { ThreadOutcome, ThreadPool } from '@sheaf/process';
import type { SharedParts } from '../document-parts.ts';
import {
  type ExtractedPage,
  type Extraction,
  type ExtractionFailed,
  failed,
  type RequestToRead,
  UnreadableDocument,
} from '../extraction.ts';
import { observeStages } from '../stage.ts';
import { CallDesk } from './call-desk.ts';
import type { DocumentTask, FromThread, ToThread } from './thread-messages.ts';

/** `ended`: it was ended from here. */
type Ending = ThreadOutcome<void> | { readonly ok: false; readonly reason: 'ended'; readonly error: unknown };
type News = Extract<FromThread, { kind: 'opened' | 'failed' | 'pages' | 'end' }>;

/** A thread that is asked to stop has so long to end its programs and leave; then it is ended. */
const STOP_MS = 5_000;
const ASK_ALIVE_MS = 1_000;

class Stuck extends Error {}

/** An error of the system that came over the border of a thread, which keeps its message alone: with its code again, such as ENOSPC. */
const withCode = (error: unknown): unknown => {
  const code = error instanceof Error && errorCode(error) === undefined ? /^(E[A-Z]{2,20}): /.exec(error.message)?.[1] : undefined;
  return code === undefined ? error : Object.assign(error as Error, { code });
};

export interface SessionSettings {
  /** A thread that does not answer for so long is ended, and its document fails. */
  readonly stuckMs: number;
}

/** The main thread's end of one document: gives it to a thread, serves that thread, and sees to it that it ends. */
export class DocumentSession {
  readonly #request: RequestToRead;
  readonly #settings: SessionSettings;
  readonly #port: MessagePort;
  readonly #desk: CallDesk;
  readonly #ended: Promise<Ending>;
  readonly #enforced = new AbortController();
  readonly #stages = new Map<number, (isGood: boolean) => void>();
  readonly #news: News[] = [];
  #onNews: (() => void) | undefined;
  #isOver = false;
  #unanswered = 0;
  #watch: NodeJS.Timeout | undefined;
  #stopTimer: NodeJS.Timeout | undefined;
  readonly #onAbort = (): void => {
    this.#stop();
    this.#onNews?.();
  };

  constructor(
    pool: ThreadPool<DocumentTask, void>,
    task: Omit<DocumentTask, 'port'>,
    request: RequestToRead,
    shared: SharedParts,
    settings: SessionSettings,
  ) {
    const { port1, port2 } = new MessageChannel();
    this.#request = request;
    this.#settings = settings;
    this.#port = port1;
    this.#desk = new CallDesk(shared, request, (message) => this.#send(message));
    // Log lines and spans of what is done for the thread belong to this document.
    const inContext = AsyncLocalStorage.snapshot();
    port1.on('message', (message: FromThread) => inContext(() => this.#receive(message)));
    request.signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#ended = this.#run(pool, { ...task, port: port2 });
  }

  /** What is wrong with the document is the answer. Throws the request's reason when that is aborted. */
  async open(): Promise<Extraction> {
    const news = await this.#next();
    if (news.kind === 'failed') return news.failure;
    if (news.kind !== 'opened') throw new Error(`Unexpected first message ${news.kind}`);
    const { pageCount, previewPath, picturePath, einvoice } = news;
    return { ok: true, pageCount, previewPath, picturePath, einvoice, pages: this.#pages(), [Symbol.asyncDispose]: () => this.close() };
  }

  /** Ends the thread's work on the document and waits until it is gone. */
  async close(): Promise<void> {
    this.#stop();
    await this.#ended;
  }

  async *#pages(): AsyncGenerator<readonly ExtractedPage[]> {
    for (;;) {
      this.#send({ kind: 'next' });
      const news = await this.#next();
      if (news.kind === 'end') return;
      if (news.kind === 'failed') throw new UnreadableDocument(news.failure);
      if (news.kind === 'pages') yield news.pages;
    }
  }

  async #run(pool: ThreadPool<DocumentTask, void>, input: DocumentTask): Promise<Ending> {
    const closed = once(this.#port, 'close');
    try {
      const outcome = await pool.run({ input, signal: this.#enforced.signal, transfer: [input.port] });
      // Its last words may still be on their way; it closes the connection behind them.
      if (outcome.ok) await closed;
      return outcome;
    } catch (error) {
      return { ok: false, reason: 'ended', error } as const;
    } finally {
      this.#tidy();
    }
  }

  #tidy(): void {
    this.#isOver = true;
    clearInterval(this.#watch);
    clearTimeout(this.#stopTimer);
    this.#request.signal.removeEventListener('abort', this.#onAbort);
    this.#desk.end();
    for (const end of this.#stages.values()) end(false);
    this.#port.close();
    this.#onNews?.();
  }

  /** What the thread has to say next, or what its end means. */
  async #next(): Promise<News> {
    while (this.#news.length === 0 && !this.#isOver && !this.#request.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#onNews = resolve;
      });
    }
    this.#request.signal.throwIfAborted();
    const news = this.#news.shift();
    return news ?? { kind: 'failed', failure: this.#failureOf(await this.#ended) };
  }

  #failureOf(end: Ending): ExtractionFailed {
    if (end.ok) throw new Error('The document thread exited unexpectedly');
    if (end.reason === 'out_of_memory') return failed('memory_exceeded');
    if (end.reason === 'died') return failed('reader_died');
    if (end.error instanceof Stuck) return failed('timeout');
    throw withCode(end.error);
  }

  #receive(message: FromThread): void {
    this.#unanswered = 0;
    this.#watch ??= setInterval(() => this.#askAlive(), ASK_ALIVE_MS).unref();
    switch (message.kind) {
      case 'call':
        void this.#desk.take(message.id, message.call);
        return;
      case 'cancel':
        return this.#desk.cancel(message.id);
      case 'release':
        return this.#desk.release(message.id);
      case 'stage':
        this.#stages.set(message.id, observeStages(this.#request.onStage)(message.stage, message.facts));
        return;
      case 'stage_end':
        this.#stages.get(message.id)?.(message.isGood);
        this.#stages.delete(message.id);
        return;
      case 'alive':
        return;
      default:
        this.#news.push(message);
        this.#onNews?.();
    }
  }

  /** Counts questions, not time: a machine that stands still does not make a thread a stuck one. */
  #askAlive(): void {
    if (this.#unanswered * ASK_ALIVE_MS >= this.#settings.stuckMs) this.#enforced.abort(new Stuck('The document thread does not respond'));
    this.#unanswered += 1;
    this.#send({ kind: 'ask_alive' });
  }

  #stop(): void {
    if (this.#isOver || this.#stopTimer !== undefined) return;
    this.#send({ kind: 'stop' });
    this.#stopTimer = setTimeout(() => this.#enforced.abort(new Error('The document thread did not stop')), STOP_MS);
  }

  #send(message: ToThread): void {
    this.#port.postMessage(message);
  }
}
