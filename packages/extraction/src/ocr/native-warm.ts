import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { ExchangeFolder, type RunningTool, startTool } from '@sheaf/sandbox';
import { type ToolSize, toolLimits } from '../extraction.ts';

export interface WarmSettings {
  readonly program: string;
  /** The `stdbuf` of coreutils: through a pipe tesseract would keep its last lines to itself. */
  readonly stdbuf: string;
  /** Where its models lie. */
  readonly dataFolder: string;
  readonly scratchPath: string;
  readonly limits: ToolSize;
}

export type WarmOutcome = { readonly ok: true; readonly tsv: string } | { readonly ok: false; readonly reason: 'timeout' | 'reader_died' };

const IDLE_MS = 30_000;
/** Then it makes place for a new one, should it grow. */
const MAX_PAGES = 200;
const BLANK_SIDE = 60;

/**
 * Tesseracts that stay: loading the models takes 65 ms, as much as some 7 % of a page. One page at a time each, so that a crash
 * tells which page it was. As many run as pages are read at once.
 */
export class WarmTesseracts {
  readonly #settings: WarmSettings;
  readonly #idle: WarmTesseract[] = [];
  readonly #all = new Set<WarmTesseract>();
  #blank: Promise<string> | undefined;

  constructor(settings: WarmSettings) {
    this.#settings = settings;
  }

  /** `args` are tesseract's own, for TSV. Throws the signal's reason when aborted. */
  async read(imagePath: string, args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<WarmOutcome> {
    this.#blank ??= this.#writeBlank();
    const blankPath = await this.#blank;
    signal.throwIfAborted();
    const reader = await this.#take(args);
    const timeout = AbortSignal.timeout(timeoutMs);
    const tsv = await reader.read(imagePath, blankPath, AbortSignal.any([signal, timeout])).catch(async (error: unknown) => {
      await this.#end(reader);
      throw error;
    });
    if (tsv !== undefined && reader.pages < MAX_PAGES) this.#rest(reader);
    else await this.#end(reader);
    if (tsv !== undefined) return { ok: true, tsv };
    signal.throwIfAborted();
    return { ok: false, reason: timeout.aborted ? 'timeout' : 'reader_died' };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((reader) => this.#end(reader)));
  }

  /** One that waits for pages of this kind; else a new one, in place of one that waits for others. */
  async #take(args: readonly string[]): Promise<WarmTesseract> {
    const key = JSON.stringify(args);
    const at = this.#idle.findIndex((reader) => reader.key === key && reader.isRunning);
    const [waiting] = this.#idle.splice(Math.max(0, at), 1);
    if (waiting !== undefined && at !== -1) return waiting;
    if (waiting !== undefined) void this.#end(waiting);
    const exchange = await ExchangeFolder.open(join(this.#settings.scratchPath, `tesseract-${randomUUID()}`));
    const reader = new WarmTesseract(key, args, exchange, this.#settings);
    this.#all.add(reader);
    return reader;
  }

  #rest(reader: WarmTesseract): void {
    this.#idle.push(reader);
    reader.afterRest(IDLE_MS, () => {
      const at = this.#idle.indexOf(reader);
      if (at === -1) return;
      this.#idle.splice(at, 1);
      void this.#end(reader);
    });
  }

  async #end(reader: WarmTesseract): Promise<void> {
    this.#all.delete(reader);
    await reader.end();
  }

  async #writeBlank(): Promise<string> {
    const path = join(this.#settings.scratchPath, `blank-${randomUUID()}.pgm`);
    await writeFile(path, [Buffer.from(`P5\n${BLANK_SIDE} ${BLANK_SIDE}\n255\n`), Buffer.alloc(BLANK_SIDE ** 2, 255)]);
    return path;
  }
}

class WarmTesseract {
  readonly key: string;
  pages = 0;
  readonly #exchange: ExchangeFolder;
  readonly #tool: RunningTool;
  readonly #reader: Interface;
  readonly #lines: AsyncIterator<string>;
  #restTimer: NodeJS.Timeout | undefined;

  constructor(key: string, args: readonly string[], exchange: ExchangeFolder, { program, stdbuf, dataFolder, limits }: WarmSettings) {
    this.key = key;
    this.#exchange = exchange;
    this.#tool = startTool({
      file: stdbuf,
      args: ['-oL', program, '-', 'stdout', ...args, '-c', 'stream_filelist=1'],
      cwd: exchange.path,
      access: { readOnly: [dataFolder] },
      limits: toolLimits(limits),
      env: { OMP_THREAD_LIMIT: '1' },
    });
    this.#reader = createInterface({ input: this.#tool.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  get isRunning(): boolean {
    return this.#tool.isRunning;
  }

  /** Undefined when the program died or `signal` was aborted; it is of no use after that. */
  async read(imagePath: string, blankPath: string, signal: AbortSignal): Promise<string | undefined> {
    clearTimeout(this.#restTimer);
    this.pages += 1;
    const page = await this.#lendIfThere(imagePath);
    if (page === undefined) return undefined;
    const blank = await this.#exchange.lend(blankPath);
    this.#tool.workOn(imagePath);
    try {
      return await this.#readPage(page, blank, signal);
    } finally {
      this.#tool.workOn(undefined);
      await Promise.all([this.#exchange.remove(page), this.#exchange.remove(blank)]);
    }
  }

  async #lendIfThere(imagePath: string): Promise<string | undefined> {
    try {
      return await this.#exchange.lend(imagePath);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #readPage(page: string, blank: string, signal: AbortSignal): Promise<string | undefined> {
    const aborted = Promise.withResolvers<undefined>();
    const onAbort = (): void => aborted.resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    // Nothing marks the end of a page but the beginning of the next, so a blank one follows each.
    this.#tool.stdin.write(`${page}\n${blank}\n`);
    const tsv = await Promise.race([this.#linesBefore(`1\t${this.pages * 2}\t`), aborted.promise]);
    signal.removeEventListener('abort', onAbort);
    return tsv;
  }

  /** Calls `then` when it has rested for so long. */
  afterRest(ms: number, then: () => void): void {
    this.#restTimer = setTimeout(then, ms);
    this.#restTimer.unref();
  }

  async end(): Promise<void> {
    clearTimeout(this.#restTimer);
    this.#reader.close();
    await this.#tool.stop({ force: true });
    await this.#exchange.dispose();
  }

  async #linesBefore(start: string): Promise<string | undefined> {
    let text = '';
    for (;;) {
      const line = await this.#lines.next();
      if (line.done === true) return undefined;
      if (line.value.startsWith(start)) return text;
      text += `${line.value}\n`;
    }
  }
}
