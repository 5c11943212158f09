import { join } from 'node:path';
import { type Component, constant, ThreadPool } from '@sheaf/process';
import type { Limit } from '../pdf/poppler.ts';
import { copyPicture } from '../scratch.ts';
import { ImageHost, type ImageHostSettings, type ImageResult, type PictureLimits } from './image-host.ts';
import type { ImageRequest } from './image-messages.ts';
import type { TextPictureTask } from './text-picture.ts';

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
