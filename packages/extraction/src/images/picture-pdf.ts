import { join } from 'node:path';
import { copyPicture } from '../scratch.ts';
import type { PictureMaker } from './picture-maker.ts';

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
