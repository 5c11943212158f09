import { type Component, constant, type Logger, ThreadPool } from '@sheaf/process';
import type { FileKind } from '@sheaf/vocabulary/file-kinds';
import type { KindMatch } from './kind-match.ts';
import type { ContainerToMatch } from './match-container.ts';
import { matchKind } from './match-kind.ts';
import type { UnreadFile } from './type-check-task.ts';

export interface TypeCheckSettings {
  /** Files whose contents are looked into at the same time. */
  readonly threads: number;
  readonly timeoutMs?: number;
}

const MIB = 1024 * 1024;
/** Every reader is linear in its input and its input is bounded, so these are for the mistakes that were not found. */
const TIMEOUT_MS = 20_000;
const MEMORY_BYTES = 256 * MIB;
const IDLE_MS = 30_000;

/**
 * Compares files with what their names declare. Archives and compound files, which take more than a look at their first bytes,
 * are read in threads: whatever one of them does to its reader, this process answers everybody else meanwhile.
 */
export class TypeCheck implements Component {
  readonly name = 'type-check';
  readonly #timeoutMs: number;
  readonly #log: Logger;
  readonly #pool: ThreadPool<ContainerToMatch, KindMatch | UnreadFile>;

  constructor({ threads, timeoutMs = TIMEOUT_MS }: TypeCheckSettings, log: Logger) {
    this.#timeoutMs = timeoutMs;
    this.#log = log;
    const file = new URL('./type-check-task.ts', import.meta.url);
    this.#pool = new ThreadPool({ file, threads: constant(threads), memoryBytes: MEMORY_BYTES, idleMs: IDLE_MS });
  }

  async start(): Promise<void> {} // threads come with the first file that needs one

  stop(): Promise<void> {
    return this.#pool.close();
  }

  /** `content` is the bytes, or the path of a file. Throws when the file cannot be read. */
  match(content: Buffer | string, declared: FileKind, signal?: AbortSignal): Promise<KindMatch> {
    return matchKind(content, declared, (container) => this.#lookInto(container, signal));
  }

  async #lookInto(container: ContainerToMatch, signal: AbortSignal | undefined): Promise<KindMatch> {
    const outcome = await this.#pool.run({ input: container, timeoutMs: this.#timeoutMs, signal });
    if (!outcome.ok) {
      const { reason, error } = outcome;
      this.#log.warn({ reason, err: error, declared_type: container.declared.extensions[0] }, 'type check of a file failed');
      return { isMatch: false, unknown: true };
    }
    if ('unread' in outcome.value) throw new Error(outcome.value.unread);
    return outcome.value;
  }
}
