import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { errorCode } from '@sheaf/contract';
import { type Live, select, type ThreadOutcome, ThreadPool } from '@sheaf/process';
import type { SharedParts } from '../document-parts.ts';
import {
  type ExtractedPage,
  type Extraction,
  type ExtractionFailed,
  type ExtractionSettings,
  failed,
  observeStages,
  type RequestToRead,
  UnreadableDocument,
} from '../extraction.ts';
import type { Scratch } from '../scratch.ts';
import type { DocumentTask, FromThread, SharedCall, ToThread } from './main-link.ts';

const FILE = new URL('./document-task.ts', import.meta.url);
/** Small documents do not pay for a thread, and a worker without work has none. */
const IDLE_MS = 60_000;
/** Every reader in a thread bounds what it holds far below the least of these. */
const LEAST_HEAP_BYTES = 384 * 1024 * 1024;
/** Of what a program may have. */
const HEAP_SHARE = 0.5;
const MAX_STUCK_MS = 60_000;

/**
 * Processes each document in a thread of its own. One that takes too much memory, or hangs, is ended with the programs that it
 * has started, and fails its document alone: the programs that documents share are not its own.
 */
export class DocumentThreads {
  readonly #settings: Live<ExtractionSettings>;
  readonly #pool: ThreadPool<DocumentTask, void>;

  constructor(settings: Live<ExtractionSettings>, file = FILE) {
    this.#settings = settings;
    this.#pool = new ThreadPool({
      file,
      threads: select(settings, ({ documents }) => documents),
      memoryBytes: Math.max(LEAST_HEAP_BYTES, settings.current().limits.toolMemoryBytes * HEAP_SHARE),
      idleMs: IDLE_MS,
    });
  }

  /** Opens a document. `scratch` goes with it, or at once when it cannot be opened. */
  async open(request: RequestToRead, scratch: Scratch, shared: SharedParts): Promise<Extraction> {
    const stuckMs = Math.min(this.#settings.current().timeoutMs, MAX_STUCK_MS);
    const session = new DocumentSession(this.#pool, this.#taskFor(request, scratch, shared), request, shared, { stuckMs });
    const close = async (): Promise<void> => {
      await session.close();
      await scratch[Symbol.asyncDispose]();
    };
    try {
      const extraction = await session.open();
      if (extraction.ok) return { ...extraction, [Symbol.asyncDispose]: close };
      await close();
      return extraction;
    } catch (error) {
      await close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #taskFor(request: RequestToRead, scratch: Scratch, { slots, office, runner }: SharedParts): Omit<DocumentTask, 'port'> {
    const { onStage: _, signal: __, onRecognise: ___, ...plain } = request;
    const { cloud: ____, ...settings } = this.#settings.current();
    return {
      request: plain,
      settings,
      scratchPath: scratch.path,
      slots: slots.size,
      hasOffice: office !== undefined,
      runner: runner === undefined || 'reason' in runner ? runner : { canRunOcrAgain: runner.canRunOcrAgain },
    };
  }
}

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

interface SessionSettings {
  /** A thread that does not answer for so long is ended, and its document fails. */
  readonly stuckMs: number;
}

/** The main thread's end of one document: gives it to a thread, serves that thread, and sees to it that it ends. */
class DocumentSession {
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

interface OpenCall {
  readonly abort: AbortController;
  readonly released: PromiseWithResolvers<void>;
}

/** Does what the thread of one document asks of what all documents share, until `end`. */
class CallDesk {
  readonly #shared: SharedParts;
  /** In whose turn its pages are read. */
  readonly #owner: object;
  readonly #answer: (message: ToThread) => void;
  readonly #open = new Map<number, OpenCall>();

  constructor(shared: SharedParts, owner: object, answer: (message: ToThread) => void) {
    this.#shared = shared;
    this.#owner = owner;
    this.#answer = answer;
  }

  async take(id: number, call: SharedCall): Promise<void> {
    const open = { abort: new AbortController(), released: Promise.withResolvers<void>() };
    this.#open.set(id, open);
    try {
      const value = await this.#do(id, call, open);
      if (call.of !== 'slot') this.#answer({ kind: 'answer', id, value });
    } catch (error) {
      this.#answer({ kind: 'error', id, message: error instanceof Error ? error.message : String(error), code: errorCode(error) });
    } finally {
      this.#open.delete(id);
    }
  }

  cancel(id: number): void {
    this.#open.get(id)?.abort.abort();
  }

  release(id: number): void {
    this.#open.get(id)?.released.resolve();
  }

  /** The thread is gone: whatever it has asked for ends, and whatever it held is released. */
  end(): void {
    for (const { abort, released } of this.#open.values()) {
      abort.abort();
      released.resolve();
    }
  }

  async #do(id: number, call: SharedCall, { abort: { signal }, released }: OpenCall): Promise<unknown> {
    const { slots, images, office, runner, detectLanguage } = this.#shared;
    switch (call.of) {
      case 'slot':
        return slots.run(this.#owner, signal, () => {
          this.#answer({ kind: 'answer', id, value: undefined });
          return released.promise;
        });
      case 'detect_language':
        return detectLanguage(call.text, signal);
      case 'image':
        return images.ask(call.request, { timeoutMs: call.timeoutMs, signal });
      case 'convert':
        return office?.convert(call.inputPath, call.outFolder, { timeoutMs: call.timeoutMs, signal }, call.options);
      case 'read':
      case 'find_turn': {
        if (runner === undefined || 'reason' in runner) throw new Error('No OCR engine for this document');
        const task = { ...call.task, signal };
        return call.of === 'read' ? runner.read(task) : runner.findTurn(task);
      }
    }
  }
}
