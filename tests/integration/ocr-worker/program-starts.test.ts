// Programs that the ocr-worker starts for a document: each costs more than most of what is done in it.

import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { Extractor } from '@sheaf/extraction';
import { findProgram, MOST_STARTS } from '@sheaf/extraction/testing';
import { makeReadingMetrics, type ReadDeps, readDocument } from '@sheaf/ocr-worker/testing';
import { constant, makeRegistry, silentLogger } from '@sheaf/process';
import { claimJob } from '@sheaf/queue';
import { readProgramStarts } from '@sheaf/sandbox';
import { documentKey, LocalStorage, thumbnailKey, WorkingSpace } from '@sheaf/storage';
import { drawLines, drawScan, enqueueJob, givenDocument, givenUser, makePdf, openTestDatabase } from '@sheaf/testkit';
import { makeDocx } from '../../fixtures/external-references/ooxml.ts';
import { barcodesBy } from '../../support/barcode-rules.ts';
import { testWhere } from '../../support/conditional-test.ts';
import { extractionSettings } from '../../support/extraction.ts';
import { ciiXml } from '../../unit/einvoice/cii-xml.ts';

const needed = await Promise.all(['pdftotext', 'tesseract', 'soffice', 'qpdf'].map(findProgram));
const test = testWhere(!needed.includes(undefined), 'poppler, tesseract, LibreOffice or qpdf is not installed');

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const LINES = ['A letter of the harbour office', 'about goods that were received', 'in good order and on time'];
/** Documents of each kind; `make` makes other bytes each time. */
const KINDS: Readonly<
  Record<string, { of: keyof typeof MOST_STARTS; mimeType: string; pages: number; make: (n: number) => Promise<Buffer> }>
> = {
  text: { of: 'text', mimeType: 'text/plain', pages: 1, make: async (n) => Buffer.from(`${LINES.join('\n')} ${n}`) },
  picture: {
    of: 'image',
    mimeType: 'image/png',
    pages: 1,
    make: async (n) =>
      drawLines([...LINES, `${n}`])
        .png()
        .toBuffer(),
  },
  'digital PDF': {
    of: 'pdf',
    mimeType: 'application/pdf',
    pages: 2,
    make: async (n) => makePdf([{ lines: LINES }, { lines: [...LINES, `${n}`] }]),
  },
  scan: {
    of: 'scan',
    mimeType: 'application/pdf',
    pages: 2,
    make: async (n) => makePdf([{ picture: await drawScan(LINES) }, { picture: await drawScan([...LINES, `${n}`]) }]),
  },
  office: {
    of: 'office',
    mimeType: DOCX,
    pages: 1,
    make: async (n) => makeDocx(`<w:p><w:r><w:t>${LINES.join(' ')} ${n}</w:t></w:r></w:p>`),
  },
  'e-invoice': {
    of: 'einvoice',
    mimeType: 'application/xml',
    pages: 1,
    make: async (n) => Buffer.from(ciiXml().replace('>Paper<', `>Paper ${n}<`)),
  },
};

test('a warm worker starts no more programs for a document than the table says', async (t) => {
  readProgramStarts();
  await using database = await openTestDatabase();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sheaf-starts-'));
  const { db } = database;
  const storage = new LocalStorage({ path: join(folder.path, 'store'), thumbnailPath: join(folder.path, 'thumbnails') });
  await using extractor = await Extractor.open(constant(extractionSettings(join(folder.path, 'extraction'))), silentLogger());
  const { id: ownerId } = await givenUser(db);
  const space = new WorkingSpace(join(folder.path, 'temp'));
  const deps: ReadDeps = {
    db,
    storage,
    extractor,
    tempPath: join(folder.path, 'temp'),
    settings: constant({ ocrEnabled: true, versionsKeep: 0 }),
    barcodes: barcodesBy(),
    log: silentLogger(),
  };
  const process = async (mimeType: string, bytes: Buffer): Promise<void> => {
    const document = await givenDocument(db, { ownerId, mimeType, ocrLanguage: 'eng' });
    await storage.put(documentKey(document.sha256), Readable.from([bytes]));
    await enqueueJob(db, { documentId: document.id, maxAttempts: 1 });
    const job = await claimJob(db, 'worker', 60_000);
    if (job === undefined) throw new Error('there is a job');
    const metrics = makeReadingMetrics(makeRegistry('ocr-worker'));
    const outcome = await readDocument(job, document, deps, {
      metrics,
      space,
      signal: new AbortController().signal,
      onRecognise: () => {},
    });
    t.like(outcome, { ok: true }, mimeType);
    t.truthy(await storage.stat(thumbnailKey(document.sha256, '400x400.webp')), mimeType);
  };
  for (const [kind, { of, mimeType, pages, make }] of Object.entries(KINDS)) {
    await process(mimeType, await make(1));
    const before = new Map(readProgramStarts());
    await process(mimeType, await make(2));
    const started = [...readProgramStarts()].flatMap(([program, count]) => {
      const more = count - (before.get(program) ?? 0);
      return more > 0 ? [{ program: basename(program), more }] : [];
    });
    const { document, page } = MOST_STARTS[of];
    const count = started.reduce((sum, { more }) => sum + more, 0);
    t.true(count <= document + page * pages, `${kind}: ${JSON.stringify(started)}`);
  }
});
