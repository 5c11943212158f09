// Looking for barcodes can be cancelled at any moment without harm to the process.

import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { findBarcodes } from '@sheaf/extraction/testing';
import { makePdf } from '@sheaf/testkit';
import test from 'ava';
import { extractionLimits } from '../../support/extraction.ts';

test('pages that are being drawn when it is aborted fail with it, and nothing is left unhandled', async (t) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-barcodes-'));
  const path = join(folder.path, 'many.pdf');
  await writeFile(path, makePdf(Array.from({ length: 40 }, (_, at) => ({ lines: [`page ${at + 1}`] }))));
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const stop = new AbortController();
  const reason = new Error('given back');
  const ask = async () => {
    stop.abort(reason);
    // the next pages fail meanwhile
    for (let turn = 0; turn < 1_000 && unhandled.length === 0; turn += 1) await setImmediate();
    throw reason;
  };
  const sources = {
    images: { ask },
    settings: { maxPages: 100, timeoutMs: 60_000, limits: extractionLimits },
    scratchPath: folder.path,
  };
  await t.throwsAsync(findBarcodes({ path, mimeType: 'application/pdf', signal: stop.signal }, sources), { is: reason });
  await setImmediate();
  process.off('unhandledRejection', note);
  t.deepEqual(unhandled, []);
});
