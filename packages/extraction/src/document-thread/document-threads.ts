import { type Live, select, ThreadPool } from '@sheaf/process';
import type { SharedParts } from '../document-parts.ts';
import type { Extraction, ExtractionSettings, RequestToRead } from '../extraction.ts';
import type { Scratch } from '../scratch.ts';
import { DocumentSession } from './document-session.ts';
import type { DocumentTask } from './thread-messages.ts';

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
      runner: runner === undefined || 'reason' in runner ? runner : { canReadAgain: runner.canReadAgain },
    };
  }
}
