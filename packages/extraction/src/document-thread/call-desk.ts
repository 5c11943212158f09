import { errorCode } from '@sheaf/contract';
import type { SharedParts } from '../document-parts.ts';
import type { SharedCall, ToThread } from './thread-messages.ts';

interface OpenCall {
  readonly abort: AbortController;
  readonly released: PromiseWithResolvers<void>;
}

/** Does what the thread of one document asks of what all documents share, until `end`. */
export class CallDesk {
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

  /** The thread is gone: whatever it has asked for ends, and whatever it held is given back. */
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
