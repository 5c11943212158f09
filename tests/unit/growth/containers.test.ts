import { OleFile, openByteSource, openZip, readCutArchive, XmlReader } from '@sheaf/sandbox/containers';
import test from 'ava';
import { makeCircularTables, makeManifestTrap, makeSharedStream } from '../../fixtures/hostile-containers.ts';
import { makeOle } from '../../fixtures/ole.ts';
import { makeZip } from '../../fixtures/zip.ts';
import { oneIn } from '../../support/full-run.ts';
import { growthOf, MAX_LINEAR_GROWTH } from '../../support/growth.ts';

const LIMITS = { maxEntries: 65_535, maxWorkBytes: 1024 ** 3 };
const XML_LIMITS = { maxDepth: 1_000_000, maxChars: 1024 ** 3 };

const readXml = (bytes: Buffer): void => {
  const reader = new XmlReader({ open: () => {}, close: () => {}, text: () => {} }, XML_LIMITS);
  for (let at = 0; at < bytes.length; at += 65_536) if (!reader.write(bytes.subarray(at, at + 65_536))) return;
  reader.end();
};

const readZip = async (bytes: Buffer): Promise<void> => {
  const opened = await openZip(await openByteSource(bytes), LIMITS);
  if (!opened.ok) return;
  void opened.archive.hasSharedBytes;
  for (const entry of opened.archive.entries) await opened.archive.unpack(entry, () => true);
};

const readOle = async (bytes: Buffer): Promise<void> => {
  const file = await OleFile.open(await openByteSource(bytes));
  for (const name of ['WordDocument', 'Workbook', 'PowerPoint Document']) await file?.read(name, bytes.length);
};

const repeated =
  (text: string, before = '<r>') =>
  (size: number) =>
    Buffer.from(before + text.repeat(size));

const XML = {
  'comments that never end': repeated('<!--'),
  'unparsed sections that never end': repeated('<![CDATA['),
  'instructions that never end': repeated('<?x '),
  'a document type that never ends': repeated('<!DOCTYPE x [', ''),
  'declarations of entities': repeated('<!ENTITY a "b">', '<!DOCTYPE x ['),
  'references to entities': repeated('&a;'),
  'references without an end': repeated('&'),
  'tags that never end': repeated('<a b="'),
  attributes: (size: number) => Buffer.from(`<r ${Array.from({ length: size }, (_, n) => `a${n}="1"`).join(' ')}>`),
  'one attribute again and again': repeated('a="1" ', '<r '),
  'elements in elements': repeated('<a>'),
  'ends without a beginning': repeated('</a>'),
  'a manifest that never ends': repeated('<manifest:file-entry manifest:full-path="/"'),
  text: repeated('word '),
  paragraphs: repeated('<w:p><w:r><w:t>one</w:t></w:r></w:p>'),
} as const;

for (const [name, make] of oneIn(3, Object.entries(XML))) {
  test.serial(`reading XML takes time in proportion to its length: ${name}`, async (t) => {
    t.true((await growthOf(make, readXml, 20_000)) <= MAX_LINEAR_GROWTH);
  });
}

const LOCAL = Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(26, 0xff)]);

const ARCHIVES = {
  'entries of their own': (size: number) => makeZip(Array.from({ length: size }, (_, n) => ({ name: `${n}.xml`, text: `<a>${n}</a>` }))),
  'entries that share a stream': (size: number) => makeSharedStream(size, 100),
  'one long part': (size: number) => makeZip([{ name: 'a', text: 'word '.repeat(size * 1_000) }]),
  'a part that packs well': (size: number) => makeManifestTrap(size * 100),
  'ends of archives': (size: number) => Buffer.concat([LOCAL, Buffer.alloc(size * 22, Buffer.from('504b0506', 'hex'))]),
} as const;

for (const [name, make] of oneIn(2, Object.entries(ARCHIVES))) {
  test.serial(`reading a ZIP archive takes time in proportion to its size: ${name}`, async (t) => {
    t.true((await growthOf(make, readZip, 300)) <= MAX_LINEAR_GROWTH);
  });
}

test.serial('an archive that is cut off is looked at once, however many headers it seems to have', async (t) => {
  const make = (size: number) => Buffer.alloc(size, Buffer.concat([LOCAL.subarray(0, 30)]));
  const read = async (bytes: Buffer) => {
    const source = await openByteSource(bytes);
    for (let round = 0; round < 20; round += 1) await readCutArchive(source);
  };
  t.true((await growthOf((n) => make(Math.min(n, 128 * 1024)), read, 64 * 1024)) <= MAX_LINEAR_GROWTH);
});

const COMPOUND_FILES = {
  'tables in a circle': (size: number) => makeCircularTables(size * 512),
  'tables in a wide circle': (size: number) => makeCircularTables(size * 512, Math.floor(size / 2)),
  'a directory far away': (size: number) => makeOle('WordDocument', { paddingSectors: size }),
  'every sector followed by itself': (size: number) => {
    const bytes = makeOle('WordDocument', { paddingSectors: size });
    return bytes.fill(1, 512 * 3);
  },
} as const;

for (const [name, make] of oneIn(3, Object.entries(COMPOUND_FILES))) {
  test.serial(`reading a compound file takes time in proportion to its size: ${name}`, async (t) => {
    t.true((await growthOf(make, readOle, 4_000)) <= MAX_LINEAR_GROWTH);
  });
}

/** As a careless reader does it: with each piece it looks again at all that came before. */
const readAgainAndAgain = (bytes: Buffer): void => {
  for (let at = 0; at < bytes.length; at += 64) if (bytes.subarray(0, at).includes('<!')) return;
};

const countPairs = (size: number): number => {
  let sum = 0;
  for (let i = 0; i < size; i += 1) for (let j = 0; j < size; j += 1) sum = (sum + i * j) % 1_000_003;
  return sum;
};

test.serial('a growth that is not in proportion is seen', async (t) => {
  t.true((await growthOf((size) => size, countPairs, 500, { maxTries: 0 })) > MAX_LINEAR_GROWTH);
  t.true((await growthOf(XML.text, readAgainAndAgain, 20_000, { maxTries: 0 })) > MAX_LINEAR_GROWTH);
});
