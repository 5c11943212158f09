import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '@sheaf/config';
import { isSignedPdf } from '@sheaf/extraction/searchable';
import type { FindIsSigned } from '@sheaf/ingest';

/** Nothing interrupts it but the end of this process. */
const NEVER = new AbortController().signal;

/** Looks for signatures in PDFs that come with their text, so that no worker processes them. Needs the temporary folder to be there. */
export const makeIsSigned =
  ({ storage: { tempPath }, ocr: { limits } }: Config): FindIsSigned =>
  async (content, signal = NEVER) => {
    await using scratch = await mkdtempDisposable(join(tempPath, 'signatures-'));
    const path = typeof content === 'string' ? content : join(scratch.path, 'file.pdf');
    if (typeof content !== 'string') await writeFile(path, content);
    return await isSignedPdf({ path, scratchPath: scratch.path, limits, signal });
  };
