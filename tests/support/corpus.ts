import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus');

export const corpusPath = (folder: string, file: string): string => join(CORPUS, folder, file);

const officeEntry = z.looseObject({
  file: z.string(),
  expect: z.looseObject({ phrase: z.string(), match: z.string().optional() }),
});
export type OfficeEntry = z.infer<typeof officeEntry>;

const badEntry = z.looseObject({
  file: z.string(),
  expect: z.looseObject({
    outcome: z.enum(['accept', 'reject', 'either']),
    phrase: z.string().optional(),
    must_not_contain: z.array(z.string()).optional(),
  }),
});
export type BadEntry = z.infer<typeof badEntry>;

/** The entries of a manifest, or undefined, with the reason printed, where the corpus is absent. */
const readManifest = <T>(folder: string, entry: z.ZodType<T>): T[] | undefined => {
  const manifest = corpusPath(folder, 'manifest.json');
  if (!existsSync(manifest)) {
    process.stderr.write(`skipped: there is no ${manifest}\n`);
    return undefined;
  }
  return z.array(entry).parse(JSON.parse(readFileSync(manifest, 'utf8')));
};

/** The documents with a known phrase each. */
export const officeCorpus = (): OfficeEntry[] | undefined => readManifest('office', officeEntry);

/** The broken and hostile files, with what may become of them. */
export const badCorpus = (): BadEntry[] | undefined => readManifest('bad', badEntry);
