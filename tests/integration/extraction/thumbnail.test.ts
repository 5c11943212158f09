import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeThumbnail, type ThumbnailRequest } from '@sheaf/extraction/thumbnail';
import { drawBmp, drawLines, drawScan, makePdf } from '@sheaf/testkit';
import test, { type TestFn } from 'ava';
import sharp from 'sharp';
import { extractionLimits } from '../../support/extraction.ts';

const run = test as TestFn<{ folder: string }>;

run.before(async (t) => {
  t.context.folder = await mkdtemp(join(tmpdir(), 'sheaf-thumbnail-'));
});
run.after.always((t) => rm(t.context.folder, { recursive: true, force: true }));

const thumbnail = async (folder: string, bytes: Buffer | string, more: Partial<ThumbnailRequest> & { mimeType: string }) => {
  const path = join(folder, `file-${Math.random()}`);
  await writeFile(path, bytes);
  const { signal } = new AbortController();
  const defaults = { path, width: 200, height: 200, format: 'webp' as const, scratchPath: folder, limits: extractionLimits, signal };
  const picture = await makeThumbnail({ ...defaults, ...more });
  return picture && sharp(picture).metadata();
};

const LINES = ['The quick brown fox'];

run('a picture of each kind of file fits into the frame', async (t) => {
  const files = {
    'application/pdf': makePdf([{ picture: await drawScan(LINES) }]),
    'image/png': await drawLines(LINES).png().toBuffer(),
    'image/bmp': await drawBmp(LINES),
    'text/plain': 'a note\nof two lines',
  };
  for (const [mimeType, bytes] of Object.entries(files)) {
    const picture = await thumbnail(t.context.folder, bytes, { mimeType });
    t.is(picture?.format, 'webp', mimeType);
    t.is(Math.max(picture?.width ?? 0, picture?.height ?? 0), 200, mimeType);
  }
});

run('the format is the one asked for, and a camera picture stands upright', async (t) => {
  const bytes = await drawLines(LINES).rotate(270).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const picture = await thumbnail(t.context.folder, bytes, { mimeType: 'image/jpeg', format: 'png' });
  t.is(picture?.format, 'png');
  t.true((picture?.width ?? 0) > (picture?.height ?? 0));
});

run('a small picture is not blown up', async (t) => {
  const bytes = await sharp({ create: { width: 20, height: 10, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  t.like(await thumbnail(t.context.folder, bytes, { mimeType: 'image/png' }), { width: 20, height: 10 });
});

run('where none can be made there is none', async (t) => {
  const { folder } = t.context;
  t.is(await thumbnail(folder, 'not a PDF', { mimeType: 'application/pdf' }), undefined);
  t.is(await thumbnail(folder, 'not a PNG', { mimeType: 'image/png' }), undefined);
  t.is(await thumbnail(folder, 'no preview yet', { mimeType: 'application/msword' }), undefined);
});
