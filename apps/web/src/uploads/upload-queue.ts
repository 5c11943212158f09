import { Problem } from '../interface/problem.ts';
import { type UploadOptions, uploadFile } from '../interface/upload.ts';

export type UploadState = 'waiting' | 'sending' | 'stored' | 'reading' | 'read' | 'notRead' | 'duplicate' | 'failed' | 'cancelled';

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly state: UploadState;
  /** 0 to 1, of what is sent or read at the moment. */
  readonly share: number;
  /** What it became, or is a duplicate of. */
  readonly documentId?: string | undefined;
  readonly problem?: Problem | undefined;
}

export interface QueueView {
  readonly uploads: readonly Upload[];
  /** Why nothing is sent at the moment, although files wait. */
  readonly pause: 'asked' | 'offline' | 'signedOut' | undefined;
}

type Send = (file: File, options: UploadOptions) => Promise<{ readonly id: string }>;
/** Does something when the next picture is drawn. */
type NextFrame = (work: () => void) => void;

const AT_ONCE = 3;
const DEFAULT_PAUSE_SECONDS = 5;
const OFFLINE_PAUSE_SECONDS = 3;

/** States from which nothing more comes. */
export const isSettled = ({ state }: Upload): boolean => !['waiting', 'sending', 'stored', 'reading'].includes(state);
export const isOnItsWay = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending';

/**
 * Sends files one after the other, a few at a time, and knows of each what became of it. When the service asks for a pause (429, 503) or cannot be
 * reached, everything waits and goes on by itself; a file is given up only when it is refused.
 */
export class UploadQueue {
  /** In the order in which they came. */
  readonly #uploads = new Map<number, Upload>();
  readonly #idOfDocument = new Map<string, number>();
  #pause: QueueView['pause'];
  #view: QueueView = { uploads: [], pause: undefined };
  #nextId = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What was told of documents before the answer to their upload arrived. */
  readonly #early = new Map<string, { readonly state: UploadState; readonly share: number }>();
  readonly #running = new Map<number, AbortController>();
  readonly #listeners = new Set<() => void>();
  readonly #send: Send;
  readonly #nextFrame: NextFrame;
  #isFrameAwaited = false;

  constructor(send: Send = uploadFile, nextFrame: NextFrame = (work) => requestAnimationFrame(work)) {
    this.#send = send;
    this.#nextFrame = nextFrame;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): QueueView => this.#view;

  add(files: readonly File[]): void {
    for (const file of files) {
      const id = this.#nextId++;
      this.#uploads.set(id, { id, file, state: 'waiting', share: 0 });
    }
    this.#tell();
    this.#work();
  }

  cancel(id: number): void {
    this.#running.get(id)?.abort();
    this.#change(id, { state: 'cancelled', share: 0 });
    this.#work();
  }

  retry(id: number): void {
    this.#change(id, { state: 'waiting', share: 0, problem: undefined });
    this.#work();
  }

  clearSettled(): void {
    for (const upload of this.#uploads.values()) {
      if (!isSettled(upload)) continue;
      this.#uploads.delete(upload.id);
      if (upload.documentId !== undefined) this.#idOfDocument.delete(upload.documentId);
    }
    this.#tell();
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
    this.#tell();
    this.#work();
  }

  #tell(): void {
    this.#view = { uploads: [...this.#uploads.values()], pause: this.#pause };
    for (const listener of this.#listeners) listener();
  }

  /** A new state is told at once. How far something has come changes many times between two pictures on the screen, and is told with the next. */
  #change(id: number, changes: Partial<Upload>): void {
    const before = this.#uploads.get(id);
    if (before === undefined) return;
    this.#uploads.set(id, { ...before, ...changes });
    if (changes.state !== undefined && changes.state !== before.state) this.#tell();
    else if (!this.#isFrameAwaited) {
      this.#isFrameAwaited = true;
      this.#nextFrame(() => {
        this.#isFrameAwaited = false;
        this.#tell();
      });
    }
  }

  #rest(why: 'asked' | 'offline', seconds: number): void {
    clearTimeout(this.#timer);
    this.#pause = why;
    this.#timer = setTimeout(() => {
      this.#pause = undefined;
      this.#tell();
      this.#work();
    }, seconds * 1_000);
    this.#tell();
  }

  #work(): void {
    if (this.#pause !== undefined) return;
    for (const upload of this.#uploads.values()) {
      if (this.#running.size >= AT_ONCE) return;
      if (upload.state === 'waiting') void this.#run(upload);
    }
    if (this.#running.size === 0) this.#early.clear();
  }

  async #run({ id, file }: Upload): Promise<void> {
    const abort = new AbortController();
    this.#running.set(id, abort);
    this.#change(id, { state: 'sending', share: 0 });
    try {
      const document = await this.#send(file, { signal: abort.signal, onProgress: (share) => this.#change(id, { share }) });
      this.#idOfDocument.set(document.id, id);
      this.#change(id, { state: 'stored', share: 0, documentId: document.id, ...this.#early.get(document.id) });
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(id, error);
    } finally {
      this.#running.delete(id);
      this.#work();
    }
  }

  #fail(id: number, error: unknown): void {
    const problem = error instanceof Problem ? error : new Problem({ status: -1, code: 'UNREADABLE', message: String(error) });
    if (problem.status === 429 || problem.status === 503) {
      this.#change(id, { state: 'waiting', share: 0 });
      this.#rest('asked', problem.retryAfterSeconds ?? DEFAULT_PAUSE_SECONDS);
    } else if (problem.status === 0) {
      this.#change(id, { state: 'waiting', share: 0 });
      this.#rest('offline', OFFLINE_PAUSE_SECONDS);
    } else if (problem.status === 401) {
      clearTimeout(this.#timer);
      this.#pause = 'signedOut';
      this.#change(id, { state: 'waiting', share: 0 });
    } else if (problem.status === 409) {
      const documentId = problem.details['document_id'];
      this.#change(id, { state: 'duplicate', problem, documentId: typeof documentId === 'string' ? documentId : undefined });
    } else this.#change(id, { state: 'failed', problem });
  }
}

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
