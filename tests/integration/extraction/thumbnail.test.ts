import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeThumbnails, scalePicture, type ThumbnailRequest } from '@sheaf/extraction/thumbnail';
import { drawBmp, drawLines, drawScan, makePdf } from '@sheaf/testkit';
import test, { type TestFn } from 'ava';
import sharp from 'sharp';
import { openPictures } from '../../support/extraction.ts';

const run = test as TestFn<{ folder: string }>;

run.before(async (t) => {
  t.context.folder = await mkdtemp(join(tmpdir(), 'sheaf-thumbnail-'));
});
run.after.always((t) => rm(t.context.folder, { recursive: true, force: true }));

const FRAME = { width: 200, height: 200 };

const thumbnails = async (folder: string, bytes: Buffer | string, more: Partial<ThumbnailRequest> & { mimeType: string }) => {
  await using maker = openPictures(folder);
  const path = join(folder, `file-${Math.random()}`);
  await writeFile(path, bytes);
  const { signal } = new AbortController();
  const defaults = { path, frames: [FRAME], format: 'webp' as const, scratchPath: folder, signal };
  return await makeThumbnails(maker, { ...defaults, ...more });
};

const thumbnail = async (...args: Parameters<typeof thumbnails>) => {
  const [picture] = (await thumbnails(...args)) ?? [];
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

run('pictures of several sizes are made of one look at the file, in the order of their frames', async (t) => {
  const frames = [FRAME, { width: 400, height: 400 }];
  const files = {
    'application/pdf': makePdf([{ picture: await drawScan(LINES) }]),
    'image/png': await drawLines(LINES).png().toBuffer(),
    'text/plain': 'a note',
  };
  for (const [mimeType, bytes] of Object.entries(files)) {
    const pictures = (await thumbnails(t.context.folder, bytes, { mimeType, frames })) ?? [];
    const sizes = await Promise.all(pictures.map((picture) => sharp(picture).metadata()));
    t.deepEqual(
      sizes.map(({ width, height }) => Math.max(width, height)),
      [200, 400],
      mimeType,
    );
  }
});

run('a text is black on white, in each format', async (t) => {
  for (const format of ['webp', 'jpeg', 'png'] as const) {
    const [picture] = (await thumbnails(t.context.folder, 'Words '.repeat(500), { mimeType: 'text/plain', format })) ?? [];
    t.is((await sharp(picture).metadata()).format, format);
    const { channels } = await sharp(picture).greyscale().stats();
    t.true((channels[0]?.max ?? 0) > 240 && (channels[0]?.min ?? 255) < 200 && (channels[0]?.mean ?? 0) > 180, JSON.stringify(channels[0]));
  }
});

run('a picture that was made is scaled without the file', async (t) => {
  const { folder } = t.context;
  await using maker = openPictures(folder);
  const [made] = (await thumbnails(folder, 'a note', { mimeType: 'text/plain' })) ?? [];
  const path = join(folder, 'made');
  await writeFile(path, made ?? '');
  const request = {
    path,
    frames: [{ width: 50, height: 50 }],
    format: 'webp' as const,
    scratchPath: folder,
    signal: AbortSignal.timeout(60_000),
  };
  const [scaled] = (await scalePicture(maker, request)) ?? [];
  t.is((await sharp(scaled).metadata()).height, 50);
});
