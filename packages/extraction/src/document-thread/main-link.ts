import type { MessagePort } from 'node:worker_threads';
import type { BeginStage } from '../stage.ts';
import type { FromThread, SharedAnswers, SharedCall, ToThread } from './thread-messages.ts';

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
