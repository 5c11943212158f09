import { Piscina } from 'piscina';
import type { LanguageData } from './language-data.ts';
import type { OcrOutcome, OcrReading, OcrRunner, OcrTask, Turn } from './ocr-runner.ts';
import type { WasmTask } from './wasm-task.ts';

export interface WasmRunnerSettings {
  readonly threads: number;
  /** Searched in this order for a folder that has all languages of a page. */
  readonly data: readonly LanguageData[];
  readonly oem: number;
}

const IDLE_MS = 60_000;

/** tesseract.js in threads, one engine each. Needs no system package. */
export class WasmRunner implements OcrRunner {
  readonly name = 'wasm';
  readonly canReadAgain = true;
  readonly languages: ReadonlySet<string>;
  readonly #settings: WasmRunnerSettings;
  readonly #pool: Piscina;

  constructor(settings: WasmRunnerSettings) {
    this.#settings = settings;
    this.languages = new Set(settings.data.flatMap((data) => [...data.languages]));
    this.#pool = new Piscina({
      filename: new URL('./wasm-task.ts', import.meta.url).href,
      minThreads: 0,
      maxThreads: settings.threads,
      idleTimeout: IDLE_MS,
      // Pages come from slots of the same number, so nothing waits here unless a thread is just being replaced.
      maxQueue: settings.threads * 2,
    });
  }

  read(task: OcrTask): Promise<OcrOutcome<OcrReading>> {
    return this.#ask<OcrReading>('read', task, this.#dataFor(task.language));
  }

  async findTurn(task: OcrTask): Promise<Turn | undefined> {
    const data = this.#settings.data.find((candidate) => candidate.hasOrientation);
    if (data === undefined) return undefined;
    const answer = await this.#ask<Turn | undefined>('find_turn', task, data);
    return answer.ok ? answer.value : undefined;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #dataFor(language: string): LanguageData {
    const codes = language.split('+');
    const data = this.#settings.data.find((candidate) => codes.every((code) => candidate.languages.has(code)));
    if (data === undefined) throw new Error(`No folder contains the language data of ${language}`);
    return data;
  }

  /** A thread that is aborted or dies takes its engine with it; the pool makes a new one for the next page. */
  async #ask<T>(kind: WasmTask['kind'], task: OcrTask, data: LanguageData): Promise<OcrOutcome<T>> {
    const { imagePath, language, dpi, psm } = task;
    const message: WasmTask = { kind, imagePath, language, dataFolder: data.folder, gzip: data.gzip, dpi, psm, oem: this.#settings.oem };
    const timeout = AbortSignal.timeout(task.timeoutMs);
    try {
      // The thread runs no program, so ending it from outside leaves nothing behind.
      return { ok: true, value: await this.#pool.run(message, { signal: AbortSignal.any([task.signal, timeout]) }) };
    } catch {
      task.signal.throwIfAborted();
      return { ok: false, reason: timeout.aborted ? 'timeout' : 'reader_died' };
    }
  }
}
