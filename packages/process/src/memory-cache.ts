import { LRUCache } from 'lru-cache';
import type { Live } from './live.ts';

/**
 * Asks `ask` for all who want to know at the same time together, and not again within `maxAgeMs` after it has answered. A failure is
 * thrown to those who waited for it and kept for nobody else.
 */
export const shareAnswer = <T>(ask: () => Promise<T>, maxAgeMs: number): (() => Promise<T>) => {
  let kept: { readonly answer: Promise<T>; goodUntilMs: number } | undefined;
  return () => {
    if (kept !== undefined && performance.now() < kept.goodUntilMs) return kept.answer;
    const asked = { answer: ask(), goodUntilMs: Number.POSITIVE_INFINITY };
    kept = asked;
    asked.answer.then(
      () => (asked.goodUntilMs = performance.now() + maxAgeMs),
      () => (asked.goodUntilMs = 0),
    );
    return asked.answer;
  };
};

export interface CacheLimits {
  /** Of everything that is kept, its keys included; 0 keeps nothing. */
  readonly maxBytes: number;
  /** For how long anything is kept; 0 keeps nothing. */
  readonly ttlMs: number;
}

export interface CacheHooks {
  /** Called for each question: whether the answer was here, or being made already. */
  readonly onLookup?: (area: string, outcome: 'hit' | 'miss') => void;
  /** In milliseconds, from any beginning; it never goes back. */
  readonly nowMs?: () => number;
}

/** One kind of what is kept, with keys of its own. */
export interface CacheArea<T> {
  readonly name: string;
  readonly sizeOf: (value: T) => number;
  /** Less than what the cache allows. */
  readonly ttlMs?: number;
}

interface Entry {
  readonly value: unknown;
  readonly untilMs: number;
}

/** A value that is being made, for all who wait for it. */
interface Making {
  readonly promise: Promise<unknown>;
  readonly abort: AbortController;
  waiting: number;
}

/** What an entry costs beside its key and value, about. */
const OVERHEAD_BYTES = 200;

const makeEntries = ({ maxBytes }: CacheLimits): LRUCache<string, Entry> => new LRUCache({ maxSize: Math.max(1, maxBytes) });

/**
 * Answers of one process, kept for a while: the least used go first when there are too many bytes. Who asks for what is being made
 * waits for the same one. A key has to say everything that the answer depends on, whoever asks included.
 */
export class MemoryCache {
  readonly #limits: Live<CacheLimits>;
  readonly #onLookup: NonNullable<CacheHooks['onLookup']>;
  readonly #nowMs: () => number;
  #entries: LRUCache<string, Entry>;
  readonly #making = new Map<string, Making>();

  constructor(limits: Live<CacheLimits>, { onLookup = () => {}, nowMs = () => performance.now() }: CacheHooks = {}) {
    this.#limits = limits;
    this.#entries = makeEntries(limits.current());
    limits.subscribe((changed) => this.#resize(changed));
    this.#onLookup = onLookup;
    this.#nowMs = nowMs;
  }

  /** What is kept takes about so many bytes. */
  get bytes(): number {
    return this.#entries.calculatedSize;
  }

  get isOff(): boolean {
    const { maxBytes, ttlMs } = this.#limits.current();
    return maxBytes === 0 || ttlMs === 0;
  }

  /**
   * The value of `key`, made by `make` where it is not here. Errors and undefined are kept for nobody. `signal` says that this caller
   * is gone; `make` is told to stop when all of them are.
   */
  async get<T>(area: CacheArea<T>, key: string, make: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.isOff) return make(signal ?? new AbortController().signal);
    const fullKey = `${area.name}\0${key}`;
    const kept = this.#find(fullKey);
    const making = kept === undefined ? this.#making.get(fullKey) : undefined;
    this.#onLookup(area.name, kept === undefined && making === undefined ? 'miss' : 'hit');
    // an area has its keys alone, so what stands under them is its kind of value
    if (kept !== undefined) return kept.value as T;
    return this.#join(fullKey, making ?? this.#begin(area, fullKey, make), signal) as Promise<T>;
  }

  /** Keeps what there is room for, the most used first. */
  #resize(limits: CacheLimits): void {
    const kept = this.#entries.dump();
    this.#entries = makeEntries(limits);
    this.#entries.load(kept);
  }

  #find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.untilMs > this.#nowMs()) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  #begin<T>(area: CacheArea<T>, key: string, make: (signal: AbortSignal) => Promise<T>): Making {
    const abort = new AbortController();
    const promise = make(abort.signal).then(
      (value) => {
        this.#forget(key, making);
        if (!abort.signal.aborted && value !== undefined) this.#keep(area, key, value);
        return value;
      },
      (error: unknown) => {
        this.#forget(key, making);
        throw error;
      },
    );
    const making: Making = { promise, abort, waiting: 0 };
    this.#making.set(key, making);
    return making;
  }

  async #join(key: string, making: Making, signal: AbortSignal | undefined): Promise<unknown> {
    making.waiting += 1;
    const leave = (): void => {
      making.waiting -= 1;
      if (making.waiting > 0) return;
      this.#forget(key, making); // who comes now must not wait for what is being stopped
      making.abort.abort();
    };
    if (signal?.aborted === true) leave();
    else signal?.addEventListener('abort', leave, { once: true });
    try {
      return await making.promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #forget(key: string, making: Making): void {
    if (this.#making.get(key) === making) this.#making.delete(key);
  }

  #keep<T>(area: CacheArea<T>, key: string, value: T): void {
    const { ttlMs } = this.#limits.current();
    const size = Math.ceil(OVERHEAD_BYTES + 2 * key.length + area.sizeOf(value));
    this.#entries.set(key, { value, untilMs: this.#nowMs() + Math.min(ttlMs, area.ttlMs ?? ttlMs) }, { size });
  }
}
