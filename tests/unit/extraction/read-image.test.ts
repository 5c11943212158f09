import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ImageAnswer, type ImageResult, readImage } from '@sheaf/extraction/testing/images';
import test, { type ExecutionContext } from 'ava';
import { extractionSettings } from '../../support/extraction.ts';

/** What reading a picture comes to whose decoder says `answer`. */
const readWith = async (t: ExecutionContext, answer: ImageResult) => {
  const scratchPath = await mkdtemp(join(tmpdir(), 'sheaf-picture-'));
  t.teardown(() => rm(scratchPath, { recursive: true }));
  const path = join(scratchPath, 'original');
  await writeFile(path, 'a picture');
  return readImage({ ask: async () => answer }, undefined, {
    path,
    mimeType: 'image/png',
    donePages: new Set(),
    settings: extractionSettings(scratchPath),
    scratchPath,
    signal: new AbortController().signal,
  });
};

test('a picture whose decoder was ended is tried again, it is not called corrupt', async (t) => {
  for (const reason of ['reader_died', 'timeout'] as const)
    t.like(await readWith(t, { ok: false, reason, message: '' }), { ok: false, reason });
});

test('what the decoder says of the picture is why it cannot be read', async (t) => {
  const answer: ImageAnswer = { ok: false, reason: 'corrupt', message: 'no such format' };
  t.like(await readWith(t, answer), { ok: false, reason: 'corrupt' });
});
