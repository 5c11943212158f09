import { constant, ThreadPool } from '@sheaf/process';
import { languageSample } from './language-task.ts';

const TASK = new URL('./language-task.ts', import.meta.url);
const HEAP_BYTES = 128 * 1024 ** 2;
/** The first text waits for the model, on a machine with other work. */
const TIMEOUT_MS = 20_000;
const IDLE_MS = 60_000;

/** Finds the languages of texts in a thread that has the model, and leaves with it when no text comes. */
export class LanguageDetector {
  readonly #pool: ThreadPool<readonly string[], readonly (string | undefined)[]>;

  constructor({ idleMs = IDLE_MS }: { readonly idleMs?: number } = {}) {
    this.#pool = new ThreadPool({ file: TASK, threads: constant(1), memoryBytes: HEAP_BYTES, idleMs });
  }

  /** Whether the model is in memory. */
  get isLoaded(): boolean {
    return this.#pool.size > 0;
  }

  /**
   * The language of each text, as `detectLanguage` has it; undefined also where finding it takes too long. Throws the signal's reason when
   * that is aborted.
   */
  async detectAll(texts: readonly string[], signal?: AbortSignal): Promise<(string | undefined)[]> {
    const samples = texts.map(languageSample);
    const input = samples.filter((sample) => sample !== undefined);
    if (input.length === 0) return samples;
    const outcome = await this.#pool.run({ input, timeoutMs: TIMEOUT_MS, signal });
    const found = outcome.ok ? [...outcome.value] : [];
    return samples.map((sample) => (sample === undefined ? undefined : found.shift()));
  }

  async detect(text: string, signal?: AbortSignal): Promise<string | undefined> {
    return (await this.detectAll([text], signal))[0];
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
