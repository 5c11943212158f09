import { constants, copyFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharedParts } from '../document-parts.ts';
import type { LookRequest } from '../images/image-messages.ts';
import { attachmentsIn, type Limit, type Look, type Poppler } from './poppler.ts';

/** A larger file is not held in the memory of a process that others use, and takes so long that a start matters little. */
const MAX_BYTES = 16 * 1024 ** 2;
const MOST_PAGES = 100;
/** Of the time for a look: what is left is for poppler alone. */
const MOST_SHARE = 0.25;
const MOST_MS = 10_000;

/**
 * As `look` of poppler, in a process that is warm: no sandbox is started, and few programs. Undefined for a file that is large or unusual, such as
 * an encrypted or a damaged one, and where the process has failed on it: poppler decides about those. Throws the signal's reason when aborted.
 */
export const lookWarm = async (
  images: SharedParts['images'],
  poppler: Poppler,
  { path, scratchPath }: { readonly path: string; readonly scratchPath: string },
  request: LookRequest,
  { timeoutMs, signal }: Limit,
): Promise<Look | undefined> => {
  const { programs } = poppler;
  const { textPath, wordsPath, picture } = request;
  if ((await stat(path)).size > MAX_BYTES || !Object.values(programs).every((program) => IN_SANDBOX.test(program))) return undefined;
  const copy = join(scratchPath, 'look.pdf');
  await copyFile(path, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const answer = await images.ask(
    { ...request, kind: 'pdf_look', path: copy, programs, mostPages: Math.min(request.mostPages, MOST_PAGES) },
    { timeoutMs: Math.min(MOST_MS, timeoutMs * MOST_SHARE), signal },
  );
  await rm(copy, { force: true });
  const found = answer.ok ? answer.look : undefined;
  if (found !== undefined)
    return {
      count: answer.ok ? answer.pages : 0,
      sizes: found.sizes,
      text: { ok: true, value: undefined },
      pictures: found.pictures,
      attachments: attachmentsIn(found.attachments),
      hasPicture: picture !== undefined,
    };
  for (const half of [textPath, wordsPath, ...(picture === undefined ? [] : [picture.path])]) await rm(half, { force: true });
  return undefined;
};

/** Programs elsewhere are shown to a sandbox that is started for them alone. */
const IN_SANDBOX = /^\/(?:usr|bin)\//;
