import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PackageSource, type StripOutcome, stripExternalReferences } from '@sheaf/extraction/testing/external-references';
import { extractionLimits } from './extraction.ts';

/** What becomes of a document that is stripped of its external references. */
export const strip = async (document: Buffer): Promise<{ outcome: StripOutcome; output: Buffer }> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-strip-'));
  try {
    await writeFile(join(folder, 'in'), document);
    const outcome = await stripExternalReferences(join(folder, 'in'), join(folder, 'out'), extractionLimits, new AbortController().signal);
    return { outcome, output: outcome.kind === 'corrupt' ? Buffer.alloc(0) : await readFile(join(folder, 'out')) };
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The parts of an archive by name. */
export const partsOf = async (archive: Buffer): Promise<Record<string, Buffer>> => {
  const folder = await mkdtemp(join(tmpdir(), 'sheaf-parts-'));
  try {
    await writeFile(join(folder, 'archive'), archive);
    const run = { budget: { entries: 10_000, bytes: 1024 * 1024 * 1024 }, signal: new AbortController().signal };
    await using source = await PackageSource.open(join(folder, 'archive'), run);
    const parts: Record<string, Buffer> = {};
    for (const part of source.parts) parts[part.name] = await buffer(source.content(part));
    return parts;
  } finally {
    await rm(folder, { recursive: true });
  }
};
