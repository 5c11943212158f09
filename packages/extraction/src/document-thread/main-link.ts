import type { MessagePort } from 'node:worker_threads';
import type { SpanAttributes } from '@sheaf/process/tracing';
import type { FoundEinvoice } from '@sheaf/vocabulary/einvoices';
import type { DocumentRequest, DocumentSettings } from '../document-parts.ts';
import type { BeginStage, ExtractedPage, ExtractionFailed, ExtractionStage } from '../extraction.ts';
import type { ImageResult } from '../images/image-host.ts';
import type { ImageRequest } from '../images/image-messages.ts';
import type { OcrOutcome, OcrReading, OcrTask, Turn } from '../ocr/ocr-runner.ts';
import type { ConvertOptions } from '../office/office-converter.ts';
import type { OfficeOutcome } from '../office/office-listener.ts';

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread's end of the connection to the main thread. */
export class MainLink implements Disposable {
  readonly #port: MessagePort;
  readonly #stop = new AbortController();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #wanted = 0;
  #onWanted: (() => void) | undefined;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (message: ToThread) => this.#receive(message));
  }

  /** Aborted when the document is no longer wanted. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  send(message: FromThread): void {
    this.#port.postMessage(message);
  }

  /** Throws the reason of `signal` when that is aborted, once the main thread has let go of the call. */
  async call<C extends SharedCall>(call: C, signal: AbortSignal): Promise<{ readonly value: SharedAnswers[C['of']]; readonly id: number }> {
    signal.throwIfAborted();
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<SharedAnswers[C['of']]>();
    this.#waiting.set(id, { resolve, reject });
    const cancel = (): void => this.send({ kind: 'cancel', id });
    signal.addEventListener('abort', cancel, { once: true });
    this.send({ kind: 'call', id, call });
    try {
      return { value: await promise, id };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#waiting.delete(id);
    }
  }

  readonly beginStage: BeginStage = (stage, facts) => {
    this.#lastId += 1;
    const id = this.#lastId;
    this.send({ kind: 'stage', id, stage, facts });
    return (isGood) => this.send({ kind: 'stage_end', id, isGood });
  };

  /** Waits until a batch of pages is wanted; false when no more are. */
  async isNextWanted(): Promise<boolean> {
    if (this.#wanted === 0 && !this.stopped.aborted) await new Promise<void>((resolve) => (this.#onWanted = resolve));
    this.#wanted -= 1;
    return !this.stopped.aborted;
  }

  [Symbol.dispose](): void {
    this.#port.close();
  }

  #receive(message: ToThread): void {
    switch (message.kind) {
      case 'answer':
        return this.#waiting.get(message.id)?.resolve(message.value as never);
      case 'error':
        return this.#waiting.get(message.id)?.reject(Object.assign(new Error(message.message), { code: message.code }));
      case 'ask_alive':
        return this.send({ kind: 'alive' });
      case 'next':
        this.#wanted += 1;
        return this.#onWanted?.();
      case 'stop':
        this.#stop.abort(new Error('Processing of the document was cancelled'));
        return this.#onWanted?.();
    }
  }
}

/** A document as its thread is given it; plain data, because it crosses a thread border. */
export interface DocumentTask {
  readonly request: Omit<DocumentRequest, 'onStage' | 'onRecognise' | 'signal'>;
  readonly settings: DocumentSettings;
  readonly scratchPath: string;
  /** Pages that are read at the same time. */
  readonly slots: number;
  readonly hasOffice: boolean;
  /** Whether the engine may read a page again, or why there is none; undefined where nothing is to be recognised. */
  readonly runner: { readonly canRunOcrAgain: boolean } | ExtractionFailed | undefined;
  readonly port: MessagePort;
}

type PlainOcrTask = Omit<OcrTask, 'signal'>;

/** What a document asks of what all documents share. A `slot` is held until it is released. */
export type SharedCall =
  | { readonly of: 'slot' }
  | { readonly of: 'read'; readonly task: PlainOcrTask }
  | { readonly of: 'find_turn'; readonly task: PlainOcrTask }
  | {
      readonly of: 'convert';
      readonly inputPath: string;
      readonly outFolder: string;
      readonly timeoutMs: number;
      readonly options: ConvertOptions | undefined;
    }
  | { readonly of: 'detect_language'; readonly text: string }
  | { readonly of: 'image'; readonly request: ImageRequest; readonly timeoutMs: number };

export interface SharedAnswers {
  readonly slot: undefined;
  readonly read: OcrOutcome<OcrReading>;
  readonly find_turn: Turn | undefined;
  readonly convert: OfficeOutcome;
  readonly image: ImageResult;
  readonly detect_language: string | undefined;
}

export type FromThread =
  | { readonly kind: 'call'; readonly id: number; readonly call: SharedCall }
  /** The answer to a call is no longer wanted, or a slot is not needed any more. */
  | { readonly kind: 'cancel' | 'release'; readonly id: number }
  | { readonly kind: 'stage'; readonly id: number; readonly stage: ExtractionStage; readonly facts: SpanAttributes }
  | { readonly kind: 'stage_end'; readonly id: number; readonly isGood: boolean }
  | {
      readonly kind: 'opened';
      readonly pageCount: number;
      readonly previewPath: string | undefined;
      readonly picturePath: string | undefined;
      readonly einvoice: FoundEinvoice | undefined;
    }
  /** It cannot be opened, or ends on the way. */
  | { readonly kind: 'failed'; readonly failure: ExtractionFailed }
  | { readonly kind: 'pages'; readonly pages: readonly ExtractedPage[] }
  | { readonly kind: 'end' }
  | { readonly kind: 'alive' };

export type ToThread =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly message: string; readonly code: string | undefined }
  /** The next batch of pages is wanted: a document is no faster than whoever keeps its pages. */
  | { readonly kind: 'next' }
  | { readonly kind: 'ask_alive' }
  | { readonly kind: 'stop' };
