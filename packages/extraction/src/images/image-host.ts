import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ExchangeFolder, type RunningTool, startTool } from '@sheaf/tools';
import { type ExtractionLimits, toolLimits } from '../limits.ts';
import { NODE_MODULES } from '../node-modules.ts';
import type { Limit } from '../pdf/poppler.ts';
import type { ImageAnswer, ImageRequest } from './image-messages.ts';

const PROGRAM = fileURLToPath(new URL('./image-process.ts', import.meta.url));
const IDLE_MS = 30_000;

export type PictureLimits = Pick<ExtractionLimits, 'toolMemoryBytes' | 'toolFileBytes' | 'imagePixels'>;
export type ImageResult = ImageAnswer | { readonly ok: false; readonly reason: 'timeout' | 'reader_died'; readonly message: string };

/**
 * Decodes strangers' pictures in processes of their own. A process serves one request at a time, so that a crash tells which
 * picture it was; it stays warm for the next, and leaves when none comes. As many run as requests are made at once.
 */
export class ImageHost {
  readonly #scratchPath: string;
  readonly #limits: PictureLimits;
  readonly #idle: ImageProcess[] = [];
  readonly #all = new Set<ImageProcess>();

  constructor(scratchPath: string, limits: PictureLimits) {
    this.#scratchPath = scratchPath;
    this.#limits = limits;
  }

  /** Throws the signal's reason when aborted. */
  async ask(request: ImageRequest, { timeoutMs, signal }: Limit): Promise<ImageResult> {
    signal.throwIfAborted();
    const host = this.#idle.pop() ?? (await this.#start());
    const timeout = AbortSignal.timeout(timeoutMs);
    const answer = await host.ask(request, AbortSignal.any([signal, timeout])).catch(async (error: unknown) => {
      this.#all.delete(host);
      await host.end();
      throw error;
    });
    if (answer !== undefined) {
      this.#rest(host);
      return answer;
    }
    this.#all.delete(host);
    const { stderr } = await host.end();
    signal.throwIfAborted();
    return { ok: false, reason: timeout.aborted ? 'timeout' : 'reader_died', message: stderr.slice(-500) };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((host) => host.end()));
    this.#all.clear();
    this.#idle.length = 0;
  }

  async #start(): Promise<ImageProcess> {
    const exchange = await ExchangeFolder.open(join(this.#scratchPath, `pictures-${randomUUID()}`));
    const host = new ImageProcess(exchange, this.#limits);
    this.#all.add(host);
    return host;
  }

  #rest(host: ImageProcess): void {
    this.#idle.push(host);
    host.endWhenIdle(IDLE_MS, () => {
      const at = this.#idle.indexOf(host);
      if (at === -1) return false;
      this.#idle.splice(at, 1);
      this.#all.delete(host);
      return true;
    });
  }
}

class ImageProcess {
  readonly #exchange: ExchangeFolder;
  readonly #tool: RunningTool;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(exchange: ExchangeFolder, limits: PictureLimits) {
    this.#exchange = exchange;
    const args = ['--max-old-space-size=256', PROGRAM, `${limits.imagePixels}`];
    const access = { readOnly: NODE_MODULES };
    this.#tool = startTool({ file: process.execPath, args, cwd: exchange.path, access, limits: toolLimits(limits) });
    this.#reader = createInterface({ input: this.#tool.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /**
   * Undefined when the process died or `signal` was aborted; it is of no use after that. The process sees the one picture that it is
   * asked for, which has to be one of ours: it could change it.
   */
  async ask(request: ImageRequest, signal: AbortSignal): Promise<ImageAnswer | undefined> {
    clearTimeout(this.#idleTimer);
    const exchange = this.#exchange;
    const path = 'path' in request ? await exchange.lend(request.path) : undefined;
    const outPath = 'outPath' in request ? exchange.outputPath() : undefined;
    this.#tool.workOn(JSON.stringify(request));
    try {
      const answer = await this.#answer({ ...request, ...(path && { path }), ...(outPath && { outPath }) }, signal);
      const isThere = outPath === undefined || !('outPath' in request) || (await exchange.take(outPath, request.outPath));
      return answer?.ok === true && !isThere ? { ok: false, reason: 'corrupt', message: 'no image was created' } : answer;
    } finally {
      this.#tool.workOn(undefined);
      if (path !== undefined) await exchange.remove(path);
    }
  }

  async #answer(request: ImageRequest, signal: AbortSignal): Promise<ImageAnswer | undefined> {
    const aborted = Promise.withResolvers<undefined>();
    const onAbort = (): void => aborted.resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#tool.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await Promise.race([this.#lines.next(), aborted.promise]);
    signal.removeEventListener('abort', onAbort);
    return line === undefined || line.done === true ? undefined : (JSON.parse(line.value) as ImageAnswer);
  }

  endWhenIdle(ms: number, mayEnd: () => boolean): void {
    this.#idleTimer = setTimeout(() => {
      if (mayEnd()) void this.end();
    }, ms);
    this.#idleTimer.unref();
  }

  async end(): Promise<{ readonly stderr: string }> {
    clearTimeout(this.#idleTimer);
    this.#reader.close();
    const end = await this.#tool.stop({ force: true });
    await this.#exchange.dispose();
    return end;
  }
}
