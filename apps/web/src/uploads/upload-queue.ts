import { sessionRefusalOf } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';
import { type UploadOptions, type UploadOutcome, uploadFiles } from '../interface/upload.ts';

/** 'storing': it has gone out whole, and nothing was heard of it yet. */
export type UploadState =
  | 'waiting'
  | 'sending'
  | 'storing'
  | 'stored'
  | 'reading'
  | 'read'
  | 'notRead'
  | 'duplicate'
  /** Its document is in the trash. */
  | 'trashed'
  | 'restored'
  | 'failed'
  | 'cancelled';

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly state: UploadState;
  /** 0 to 1, of what is sent or read at the moment. */
  readonly share: number;
  /** What it became, or is a duplicate of. */
  readonly documentId?: string | undefined;
  readonly problem?: Problem | undefined;
  /** Why its document could not be read. */
  readonly failure?: { readonly code: string; readonly message: string } | undefined;
}

/** States from which nothing more comes. */
export const isSettled = ({ state }: Upload): boolean => !['waiting', 'sending', 'storing', 'stored', 'reading'].includes(state);
export const hasFailed = ({ state }: Upload): boolean => state === 'failed' || state === 'notRead';
/** What needs somebody stands above what goes on, and that above what is done, else in the order in which it was chosen. */
export const failuresFirst = (uploads: readonly Upload[]): readonly Upload[] => [
  ...uploads.filter(hasFailed),
  ...uploads.filter((upload) => !isSettled(upload)),
  ...uploads.filter((upload) => isSettled(upload) && !hasFailed(upload)),
];
/** Whether the same file may be taken when it is sent once more: what is too large, empty or of a wrong type stays so. */
export const isWorthRetry = ({ state, problem }: Upload): boolean =>
  state === 'cancelled' || (state === 'failed' && !ABOUT_THE_FILE.has(String(problem?.details['reason'])));
const ABOUT_THE_FILE: ReadonlySet<string> = new Set([
  'too_large',
  'empty',
  'unknown_type',
  'type_not_allowed',
  'type_mismatch',
  'not_einvoice',
]);
/** States that end with the page. */
export const isOnItsWay = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending' || state === 'storing';
export const isCancellable = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending';

export interface QueueView {
  readonly uploads: readonly Upload[];
  /** Why nothing is sent at the moment, although files wait. */
  readonly pause: 'asked' | 'offline' | 'signedOut' | undefined;
}

/** Why a file would be refused, found out before it is sent; undefined where nothing is known against it. */
type Judge = (file: File) => Problem | undefined;
type Send = (files: readonly File[], options: UploadOptions) => Promise<readonly UploadOutcome[]>;
/** Does something when the next picture is drawn. */
type NextFrame = (work: () => void) => void;

const AT_ONCE = 3;
const DEFAULT_PAUSE_SECONDS = 5;
const OFFLINE_PAUSE_SECONDS = 3;

interface Batch {
  readonly ids: readonly number[];
  readonly abort: AbortController;
}

/** Answers of the service that are none about the file itself. */
const PASSING_CODES: ReadonlySet<string> = new Set(['SERVICE_UNAVAILABLE', 'QUEUE_FULL']);
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;
const UNREACHABLE = 0;

/**
 * Sends files, several in a request and a few requests at a time, and knows of each file what became of it. When the service asks for a pause or
 * cannot be reached, everything waits and goes on by itself; a file is abandoned only when it is refused.
 */
export class UploadQueue {
  /** In the order in which they came. */
  readonly #uploads = new Map<number, Upload>();
  readonly #idOfDocument = new Map<string, number>();
  #pause: QueueView['pause'];
  #view: QueueView = { uploads: [], pause: undefined };
  #nextId = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What was reported of documents before the answer to their upload arrived. */
  readonly #early = new Map<string, { readonly state: UploadState; readonly share: number }>();
  readonly #running = new Set<Batch>();
  /** Files of a request that was refused as a whole: each is sent again by itself, so that one does not cost the others. */
  readonly #alone = new Set<number>();
  readonly #listeners = new Set<() => void>();
  readonly #send: Send;
  readonly #nextFrame: NextFrame;
  #isFrameAwaited = false;
  #judge: Judge = () => undefined;

  constructor(send: Send = uploadFiles, nextFrame: NextFrame = (work) => requestAnimationFrame(work)) {
    this.#send = send;
    this.#nextFrame = nextFrame;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): QueueView => this.#view;

  /** From now on files are judged before they are sent. */
  judgeBy(judge: Judge): void {
    this.#judge = judge;
  }

  add(files: readonly File[]): void {
    for (const file of files) {
      const id = this.#nextId++;
      const problem = this.#judge(file);
      this.#uploads.set(
        id,
        problem === undefined ? { id, file, state: 'waiting', share: 0 } : { id, file, state: 'failed', share: 0, problem },
      );
    }
    this.#notify();
    this.#work();
  }

  /** Nothing of a request is imported before all of it was sent: the others of the same request begin anew. */
  cancel(id: number): void {
    const upload = this.#uploads.get(id);
    if (upload === undefined || !isCancellable(upload)) return;
    const batch = [...this.#running].find(({ ids }) => ids.includes(id));
    batch?.abort.abort();
    for (const other of batch?.ids ?? []) this.#change(other, { state: 'waiting', share: 0 });
    this.#change(id, { state: 'cancelled', share: 0 });
    this.#work();
  }

  retry(id: number): void {
    this.#change(id, { state: 'waiting', share: 0, problem: undefined });
    this.#work();
  }

  /** The document of a file came back from the trash. */
  restored(id: number): void {
    this.#change(id, { state: 'restored', problem: undefined });
  }

  clearSettled(): void {
    for (const upload of this.#uploads.values()) {
      if (!isSettled(upload)) continue;
      this.#uploads.delete(upload.id);
      this.#alone.delete(upload.id);
      if (upload.documentId !== undefined) this.#idOfDocument.delete(upload.documentId);
    }
    this.#notify();
  }

  /** News of a document: how far its reading has come, in percent. */
  follow(documentId: string, status: string, percent: number): void {
    const next = stateOf(status, percent);
    if (next === undefined) return;
    const upload = this.#uploads.get(this.#idOfDocument.get(documentId) ?? 0);
    if (upload !== undefined) {
      if (!isSettled(upload)) this.#change(upload.id, next);
    } else if (this.#running.size > 0) this.#early.set(documentId, next);
  }

  /** News of a document that could not be read. */
  explain(documentId: string, failure: NonNullable<Upload['failure']>): void {
    const upload = this.#uploads.get(this.#idOfDocument.get(documentId) ?? 0);
    if (upload !== undefined) this.#change(upload.id, { state: 'notRead', share: 0, failure });
  }

  /** Documents of which it is not known yet whether they can be read. */
  unreadDocuments(): readonly string[] {
    return [...this.#uploads.values()].flatMap((upload) =>
      upload.documentId === undefined || isSettled(upload) ? [] : [upload.documentId],
    );
  }

  /** Goes on after a new sign-in. */
  resume(): void {
    if (this.#pause !== 'signedOut') return;
    this.#pause = undefined;
    this.#notify();
    this.#work();
  }

  #notify(): void {
    this.#view = { uploads: [...this.#uploads.values()], pause: this.#pause };
    for (const listener of this.#listeners) listener();
  }

  #change(id: number, changes: Partial<Upload>): void {
    this.#changeAll([id], () => changes);
  }

  /** A new state is told at once. How far something has come changes many times between two pictures on the screen, and is told with the next. */
  #changeAll(ids: readonly number[], changesOf: (index: number) => Partial<Upload>): void {
    let hasNewState = false;
    for (const [index, id] of ids.entries()) {
      const before = this.#uploads.get(id);
      if (before === undefined) continue;
      const after = { ...before, ...changesOf(index) };
      this.#uploads.set(id, after);
      hasNewState ||= after.state !== before.state;
    }
    if (hasNewState) this.#notify();
    else if (!this.#isFrameAwaited) {
      this.#isFrameAwaited = true;
      this.#nextFrame(() => {
        this.#isFrameAwaited = false;
        this.#notify();
      });
    }
  }

  #rest(why: 'asked' | 'offline', seconds: number): void {
    clearTimeout(this.#timer);
    this.#pause = why;
    this.#timer = setTimeout(() => {
      this.#pause = undefined;
      this.#notify();
      this.#work();
    }, seconds * 1_000);
    this.#notify();
  }

  #nextBatch(): Upload[] {
    const waiting = [...this.#uploads.values()].filter(({ state }) => state === 'waiting');
    const firstAlone = waiting.findIndex(({ id }) => this.#alone.has(id));
    if (firstAlone === 0) return waiting.slice(0, 1);
    const together = firstAlone === -1 ? waiting : waiting.slice(0, firstAlone);
    const sizes = together.map(({ file }) => file.size);
    return together.slice(0, batchSize(sizes, AT_ONCE - this.#running.size));
  }

  #work(): void {
    while (this.#pause === undefined && this.#running.size < AT_ONCE) {
      const batch = this.#nextBatch();
      if (batch.length === 0) break;
      void this.#run(batch);
    }
    if (this.#running.size === 0) this.#early.clear();
  }

  async #run(uploads: readonly Upload[]): Promise<void> {
    const batch: Batch = { ids: uploads.map(({ id }) => id), abort: new AbortController() };
    const { ids, abort } = batch;
    this.#running.add(batch);
    this.#changeAll(ids, () => ({ state: 'sending', share: 0 }));
    const files = uploads.map(({ file }) => file);
    const sizes = files.map(({ size }) => size);
    try {
      const outcomes = await this.#send(files, {
        signal: abort.signal,
        onProgress: (share) => {
          const shares = sharesOf(sizes, share);
          this.#changeAll(ids, (index) => ({ share: shares[index] ?? 0 }));
        },
        onSent: () => this.#changeAll(ids, () => ({ state: 'storing', share: 1 })),
      });
      for (const [index, outcome] of outcomes.entries()) this.#settle(ids[index] ?? 0, outcome);
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(ids, asProblem(error));
    } finally {
      this.#running.delete(batch);
      this.#work();
    }
  }

  #settle(id: number, outcome: UploadOutcome): void {
    if (outcome instanceof Problem) {
      this.#refuse(id, outcome);
      return;
    }
    this.#idOfDocument.set(outcome.id, id);
    this.#change(id, { state: 'stored', share: 0, documentId: outcome.id, ...this.#early.get(outcome.id) });
  }

  #refuse(id: number, problem: Problem): void {
    if (PASSING_CODES.has(problem.code)) {
      this.#change(id, { state: 'waiting', share: 0 });
      this.#rest('asked', DEFAULT_PAUSE_SECONDS);
    } else if (problem.code === 'DUPLICATE_RESOURCE') {
      this.#change(id, { state: 'duplicate', problem, documentId: documentOf(problem) });
    } else if (problem.code === 'DOCUMENT_IN_TRASH') {
      this.#change(id, { state: 'trashed', problem, documentId: documentOf(problem) });
    } else this.#change(id, { state: 'failed', problem });
  }

  /** What has to be done when a whole request came to nothing. */
  #fail(ids: readonly number[], problem: Problem): void {
    const wait = (): void => this.#changeAll(ids, () => ({ state: 'waiting', share: 0 }));
    if (problem.status === TOO_MANY_REQUESTS || problem.status === UNAVAILABLE) {
      wait();
      this.#rest('asked', problem.retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS);
    } else if (problem.status === UNREACHABLE) {
      wait();
      this.#rest('offline', OFFLINE_PAUSE_SECONDS);
    } else if (sessionRefusalOf(problem) !== undefined) {
      clearTimeout(this.#timer);
      this.#pause = 'signedOut';
      wait();
    } else if (ids.length > 1) {
      for (const id of ids) this.#alone.add(id);
      wait();
    } else for (const id of ids) this.#refuse(id, problem);
  }
}

/** The document that has the same file already. */
const documentOf = ({ details: { document_id: id } }: Problem): string | undefined => (typeof id === 'string' ? id : undefined);

const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem({ status: -1, code: 'UNKNOWN', message: String(error) });

const stateOf = (status: string, percent: number): { readonly state: UploadState; readonly share: number } | undefined => {
  switch (status) {
    case 'processing':
      return { state: 'reading', share: percent / 100 };
    case 'completed':
      return { state: 'read', share: 1 };
    case 'failed':
      return { state: 'notRead', share: 0 };
    default:
      return undefined;
  }
};

/** As many as one request may carry. */
const MOST_FILES = 10;
/** A request that breaks off has to be sent again: what is heavy goes alone. */
const MOST_BYTES = 16 * 1024 ** 2;

/**
 * How many of the waiting files, the first ones, go together in the next request, where `requests` more may be under way: few files each by
 * themselves, so that the first is there soon; many together, as the service counts the requests of a minute.
 */
export const batchSize = (sizesBytes: readonly number[], requests: number): number => {
  const most = Math.min(MOST_FILES, Math.ceil(sizesBytes.length / requests));
  let bytes = 0;
  let count = 0;
  for (const size of sizesBytes.slice(0, most)) {
    bytes += size;
    if (count > 0 && bytes > MOST_BYTES) break;
    count += 1;
  }
  return count;
};

/** How much of each file has gone out, 0 to 1, when `share` of all of them has, one after the other. */
export const sharesOf = (sizesBytes: readonly number[], share: number): number[] => {
  let sent = share * sizesBytes.reduce((sum, size) => sum + size, 0);
  return sizesBytes.map((size) => {
    const own = size === 0 ? share : Math.min(1, Math.max(0, sent / size));
    sent -= size;
    return own;
  });
};
