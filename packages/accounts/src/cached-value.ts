import type { AppError } from '@sheaf/contract';
import { backoffMs, type Clock } from '@sheaf/process';

const BACKOFF = { baseMs: 1_000, maxMs: 60_000 };

export interface CachedValueSettings<T> {
  readonly load: () => Promise<T>;
  /** Makes of what `load` threw what callers get; here is the place to log it. */
  readonly translate: (cause: unknown, attempt: number) => AppError;
  readonly freshMs: number;
  readonly clock: Clock;
}

/**
 * What an identity provider says of itself: loaded when it is first needed and again when it is no longer fresh, by one caller for
 * all. After a failure it is not asked at once again, and what was known stays in use: keys and addresses change rarely.
 */
export class CachedValue<T> {
  readonly #settings: CachedValueSettings<T>;
  #known: { readonly value: T; readonly loadedAt: number } | undefined;
  #failure: { readonly error: AppError; readonly attempt: number; readonly until: number } | undefined;
  #loading: Promise<T> | undefined;

  constructor(settings: CachedValueSettings<T>) {
    this.#settings = settings;
  }

  async get(): Promise<T> {
    const now = this.#now();
    if (this.#known !== undefined && now < this.#known.loadedAt + this.#settings.freshMs) return this.#known.value;
    if (this.#failure !== undefined && now < this.#failure.until) return this.#knownOrThrow(this.#failure.error);
    try {
      return await this.load();
    } catch (error) {
      return this.#knownOrThrow(error);
    }
  }

  /** Loads it now, whatever is known. */
  load(): Promise<T> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** What is new, where the last load is at least `ageMs` old; undefined where it is younger or cannot be had. */
  async reload(ageMs: number): Promise<T | undefined> {
    const now = this.#now();
    const isYoung = this.#known !== undefined && now < this.#known.loadedAt + ageMs;
    if (isYoung || (this.#failure !== undefined && now < this.#failure.until)) return undefined;
    return this.load().catch(() => undefined); // told by `translate`
  }

  #now(): number {
    return this.#settings.clock.now().getTime();
  }

  #knownOrThrow(error: unknown): T {
    if (this.#known !== undefined) return this.#known.value;
    throw error;
  }

  async #load(): Promise<T> {
    try {
      const value = await this.#settings.load();
      this.#known = { value, loadedAt: this.#now() };
      this.#failure = undefined;
      return value;
    } catch (cause) {
      const attempt = (this.#failure?.attempt ?? 0) + 1;
      const error = this.#settings.translate(cause, attempt);
      this.#failure = { error, attempt, until: this.#now() + backoffMs(attempt, BACKOFF) };
      throw error;
    }
  }
}
