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

/** Nobody signs in with the passwords of an export: the hashes of users have one round, as a million of them take a second. */
const PROGRAM = `
import hashlib, json, runpy, sys
derive = hashlib.pbkdf2_hmac
hashlib.pbkdf2_hmac = lambda name, password, salt, rounds, length=None: derive(name, password, salt, rounds if length else 1, length)
generator, calls = sys.argv[1], json.loads(sys.argv[2])
for arguments in calls:
    sys.argv = [generator, *arguments]
    runpy.run_path(generator, run_name='__main__')
`;

export interface PaperlessExport {
  readonly path: string;
  readonly expected: ExpectedExport;
}

/** Makes an export in each of these folders, as that version writes it, and says what is in it. */
export const makePaperlessExports = async (
  wanted: readonly (readonly [folder: string, options: readonly string[]])[],
): Promise<PaperlessExport[]> => {
  const calls = wanted.map(([folder, options]) => [folder, '--documents', '24', ...options]);
  await run('python3', ['-c', PROGRAM, GENERATOR, JSON.stringify(calls)]);
  return await Promise.all(
    wanted.map(async ([folder]) => ({
      path: join(folder, existsSync(join(folder, 'export.zip')) ? 'export.zip' : 'export'),
      expected: expectedExport.parse(JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8'))),
    })),
  );
};

/** Makes one export in `folder`. */
export const makePaperlessExport = async (folder: string, options: readonly string[]): Promise<PaperlessExport> => {
  const [made] = await makePaperlessExports([[folder, options]]);
  if (made === undefined) throw new Error('no export was made');
  return made;
};
