import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Component, constant, ThreadPool } from '@sheaf/process';
import { makeFolder } from '@sheaf/process/machine';
import { ExchangeFolder, noteProgramStart, type RunningTool, startTool } from '@sheaf/sandbox';
import { type ExtractionLimits, toolLimits } from '../extraction.ts';
import { FairSlots } from '../fair-slots.ts';
import { NODE_MODULES } from '../node-modules.ts';
import type { Limit } from '../pdf/poppler.ts';
import { copyPicture, scratchName } from '../scratch.ts';
import type { ImageAnswer, ImageReply, ImageRequest } from './image-messages.ts';
import type { TextPictureTask } from './text-picture.ts';

const PROGRAM = fileURLToPath(new URL('./image-process.ts', import.meta.url));

/** When a process makes place for a new one: decoders may leak, and what a picture has done to one must not last. */
export interface Wear {
  readonly requests: number;
  readonly ageMs: number;
  readonly residentBytes: number;
  /** Without a request. */
  readonly idleMs: number;
}

const WEAR: Wear = { requests: 500, ageMs: 10 * 60_000, residentBytes: 320 * 1024 ** 2, idleMs: 60_000 };

export type PictureLimits = Pick<ExtractionLimits, 'toolMemoryBytes' | 'toolFileBytes' | 'imagePixels'>;
export type ImageResult = ImageAnswer | { readonly ok: false; readonly reason: 'timeout' | 'reader_died'; readonly message: string };

export interface ImageHostSettings {
  /** Where the processes have their folders; it is made when the first of them starts. */
  readonly scratchPath: string;
  readonly limits: PictureLimits;
  /** At the same time; further requests wait. */
  readonly processes: number;
  readonly wear?: Wear;
}

/**
 * Decodes strangers' pictures in processes of their own, which live as long as there is work. A process serves one request at a time, so that
 * a crash tells which picture it was; it is ended with the picture it works on when that takes too long, is no longer wanted, or crashes it.
 */
export class ImageHost {
  readonly #settings: ImageHostSettings;
  readonly #wear: Wear;
  readonly #slots: FairSlots;
  readonly #idle: ImageProcess[] = [];
  readonly #all = new Set<ImageProcess>();

  constructor(settings: ImageHostSettings) {
    this.#settings = settings;
    this.#wear = settings.wear ?? WEAR;
    this.#slots = new FairSlots(settings.processes);
  }

  /** `limit` begins when a process has the request. Throws the signal's reason when aborted. */
  ask(request: ImageRequest, limit: Limit): Promise<ImageResult> {
    return this.#slots.run({}, limit.signal, () => this.#ask(request, limit));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((host) => this.#end(host)));
  }

  async #ask(request: ImageRequest, { timeoutMs, signal }: Limit): Promise<ImageResult> {
    const host = this.#takeIdle() ?? (await this.#start());
    const timeout = AbortSignal.timeout(timeoutMs);
    const answer = await host.ask(request, AbortSignal.any([signal, timeout])).catch(async (error: unknown) => {
      await this.#end(host);
      throw error;
    });
    if (answer !== undefined) {
      if (host.isWorn(this.#wear)) void this.#end(host);
      else this.#rest(host);
      return answer;
    }
    const { stderr } = await this.#end(host);
    signal.throwIfAborted();
    return { ok: false, reason: timeout.aborted ? 'timeout' : 'reader_died', message: stderr.slice(-500) };
  }

  /** The one that rested last: it is the warmest, and the others may leave. */
  #takeIdle(): ImageProcess | undefined {
    for (let host = this.#idle.pop(); host !== undefined; host = this.#idle.pop()) {
      if (host.isRunning) return host;
      void this.#end(host); // ended by somebody else while it rested
    }
    return undefined;
  }

  async #start(): Promise<ImageProcess> {
    const { scratchPath, limits } = this.#settings;
    await makeFolder(scratchPath);
    const exchange = await ExchangeFolder.open(join(scratchPath, scratchName('pictures')));
    const host = new ImageProcess(exchange, limits);
    this.#all.add(host);
    return host;
  }

  #rest(host: ImageProcess): void {
    this.#idle.push(host);
    host.whenIdle(this.#wear.idleMs, () => {
      const at = this.#idle.indexOf(host);
      if (at === -1) return;
      this.#idle.splice(at, 1);
      void this.#end(host);
    });
  }

  #end(host: ImageProcess): Promise<{ readonly stderr: string }> {
    this.#all.delete(host);
    return host.end();
  }
}

class ImageProcess {
  readonly #exchange: ExchangeFolder;
  readonly #tool: RunningTool;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;
  readonly #startedMs = performance.now();
  #requests = 0;
  #residentBytes = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(exchange: ExchangeFolder, limits: PictureLimits) {
    this.#exchange = exchange;
    const args = ['--max-old-space-size=256', PROGRAM, `${limits.imagePixels}`];
    const access = { readOnly: NODE_MODULES };
    this.#tool = startTool({ file: process.execPath, args, cwd: exchange.path, access, limits: toolLimits(limits) });
    this.#reader = createInterface({ input: this.#tool.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  get isRunning(): boolean {
    return this.#tool.isRunning;
  }

  isWorn({ requests, ageMs, residentBytes }: Wear): boolean {
    return this.#requests >= requests || performance.now() - this.#startedMs >= ageMs || this.#residentBytes >= residentBytes;
  }

  /**
   * Undefined when the process died or `signal` was aborted; it is of no use after that. The process sees the one picture that it is
   * asked for, which has to be one of ours: it could change it.
   */
  async ask(request: ImageRequest, signal: AbortSignal): Promise<ImageAnswer | undefined> {
    clearTimeout(this.#idleTimer);
    this.#requests += 1;
    const exchange = this.#exchange;
    const path = await exchange.lend(request.path);
    const { inside, written } = placedInside(request, path, () => exchange.outputPath());
    this.#tool.workOn(JSON.stringify(request));
    try {
      const answer = await this.#answer(inside, signal);
      if (answer?.ok === true) for (const program of answer.programs ?? []) noteProgramStart(program);
      let isWhole = true;
      for (const { from, to } of written) isWhole = (await exchange.take(from, to)) && isWhole;
      return answer?.ok === true && !isWhole ? { ok: false, reason: 'corrupt', message: 'no image was created' } : answer;
    } finally {
      this.#tool.workOn(undefined);
      await exchange.remove(path);
    }
  }

  async #answer(request: ImageRequest, signal: AbortSignal): Promise<ImageAnswer | undefined> {
    const aborted = Promise.withResolvers<undefined>();
    const onAbort = (): void => aborted.resolve(undefined);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.#tool.stdin.write(`${JSON.stringify(request)}\n`);
    const line = await Promise.race([this.#lines.next(), aborted.promise]);
    signal.removeEventListener('abort', onAbort);
    if (line === undefined || line.done === true) return undefined;
    const { answer, residentBytes } = JSON.parse(line.value) as ImageReply;
    this.#residentBytes = residentBytes;
    return answer;
  }

  /** Calls `then` when it has rested for so long. */
  whenIdle(ms: number, then: () => void): void {
    this.#idleTimer = setTimeout(then, ms);
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

interface Placed {
  /** The request with the paths that the process knows. */
  readonly inside: ImageRequest;
  /** What the process writes, and where it goes. */
  readonly written: readonly { readonly from: string; readonly to: string }[];
}

const placedInside = (request: ImageRequest, path: string, outputPath: () => string): Placed => {
  if (request.kind === 'thumbnails') {
    const targets = request.targets.map((target) => ({ ...target, outPath: outputPath() }));
    return {
      inside: { ...request, path, targets },
      written: targets.map(({ outPath }, at) => ({ from: outPath, to: request.targets[at]?.outPath ?? '' })),
    };
  }
  if (request.kind === 'pdf_look') {
    const { picture } = request;
    const [textPath, wordsPath, picturePath] = [outputPath(), outputPath(), outputPath()];
    return {
      inside: { ...request, path, textPath, wordsPath, picture: picture && { ...picture, path: picturePath } },
      written: [
        { from: textPath, to: request.textPath },
        { from: wordsPath, to: request.wordsPath },
        ...(picture === undefined ? [] : [{ from: picturePath, to: picture.path }]),
      ],
    };
  }
  if (!('outPath' in request)) return { inside: { ...request, path }, written: [] };
  const outPath = outputPath();
  return { inside: { ...request, path, outPath }, written: [{ from: outPath, to: request.outPath }] };
};

interface PictureRequest {
  readonly path: string;
  readonly mimeType: string;
  /** A folder for this picture alone. */
  readonly scratchPath: string;
  readonly pictures: Pick<PictureMaker, 'ask'>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type PicturePdf =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly problem: 'damaged' | 'timeout' | 'too_large' | 'unsupported' };

/** The pages of a picture as a PDF with their streams as they are, as far as the format allows. */
export const picturePdf = async ({ path, mimeType, scratchPath, pictures, timeoutMs, signal }: PictureRequest): Promise<PicturePdf> => {
  const outPath = join(scratchPath, 'picture.pdf');
  const picture = await copyPicture(path, scratchPath);
  const answer = await pictures.ask({ kind: 'pdf', path: picture, mimeType, outPath }, { timeoutMs, signal });
  if (answer.ok) return { ok: true, path: outPath };
  return { ok: false, problem: answer.reason === 'corrupt' || answer.reason === 'reader_died' ? 'damaged' : answer.reason };
};

const TEXT_PICTURE = new URL('./text-picture.ts', import.meta.url);
/** It draws hundreds of texts a second, and each further one would have code and fonts of its own. */
const TEXT_THREADS = 1;
const TEXT_HEAP_BYTES = 64 * 1024 ** 2;
const TEXT_MS = 10_000;
const IDLE_MS = 60_000;

/**
 * What opens and draws pictures, one a program: processes for strangers' pictures, a thread for texts. They start with the first picture, stay
 * for the next, and leave when none comes.
 */
export class PictureMaker implements Component {
  readonly name = 'picture-maker';
  readonly limits: PictureLimits;
  readonly #images: ImageHost;
  readonly #texts: ThreadPool<TextPictureTask, Uint8Array[]>;

  constructor(settings: ImageHostSettings) {
    this.limits = settings.limits;
    this.#images = new ImageHost(settings);
    this.#texts = new ThreadPool({ file: TEXT_PICTURE, threads: constant(TEXT_THREADS), memoryBytes: TEXT_HEAP_BYTES, idleMs: IDLE_MS });
  }

  /** Has a process open or make a picture. Throws the signal's reason when aborted. */
  ask(request: ImageRequest, limit: Limit): Promise<ImageResult> {
    return this.#images.ask(request, limit);
  }

  /** The beginning of a text as a picture for each frame; undefined where it cannot be drawn. Throws the signal's reason when aborted. */
  async drawText(task: TextPictureTask, signal: AbortSignal): Promise<readonly Uint8Array[] | undefined> {
    const drawn = await this.#texts.run({ input: task, timeoutMs: TEXT_MS, signal });
    return drawn.ok ? drawn.value : undefined;
  }

  async start(): Promise<void> {} // processes and threads come with the first picture

  async stop(): Promise<void> {
    await Promise.all([this.#images.close(), this.#texts.close()]);
  }
}
