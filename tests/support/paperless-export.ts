import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { corpusPath } from './corpus.ts';

const run = promisify(execFile);

const GENERATOR = corpusPath('paperless-export', 'make.py');

const expectedDocument = z.looseObject({
  pk: z.number(),
  title: z.string(),
  date: z.string(),
  exported_file: z.string(),
  tags: z.array(z.string()),
  correspondent: z.string().nullable(),
  bytes: z.number(),
  sha256: z.string(),
  manifest_checksum: z.string(),
  has_archive: z.boolean(),
  file_state: z.enum(['ok', 'missing', 'wrong checksum']),
});

const expectedExport = z.looseObject({
  paperless_version: z.string(),
  checksum_algorithm: z.enum(['md5', 'sha256']),
  counts: z.record(z.string(), z.number()),
  tags: z.array(z.looseObject({ name: z.string(), parent: z.string().nullable() })),
  correspondents: z.array(z.looseObject({ name: z.string() })),
  mail_accounts: z.array(z.looseObject({ name: z.string(), password: z.string() })),
  documents: z.array(expectedDocument),
  hostile_documents: z.array(z.object({ pk: z.number(), file: z.string() })).optional(),
});
export type ExpectedExport = z.infer<typeof expectedExport>;

/** Whether exports can be made here; prints the reason where they cannot. */
export const canMakePaperlessExports = (): boolean => {
  if (existsSync(GENERATOR)) return true;
  process.stderr.write(`skipped: there is no ${GENERATOR}\n`);
  return false;
};

/** Makes an export in `folder`, as that version writes it, and says what is in it. */
export const makePaperlessExport = async (
  folder: string,
  options: readonly string[],
): Promise<{ readonly path: string; readonly expected: ExpectedExport }> => {
  await run('python3', [GENERATOR, folder, '--documents', '24', ...options]);
  const expected = expectedExport.parse(JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8')));
  return { path: join(folder, existsSync(join(folder, 'export.zip')) ? 'export.zip' : 'export'), expected };
};
