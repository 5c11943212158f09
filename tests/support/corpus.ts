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

/** The documents with a known phrase each, or undefined, with the reason printed, where the corpus is absent. */
export const officeCorpus = (): OfficeEntry[] | undefined => {
  const manifest = corpusPath('office', 'manifest.json');
  if (!existsSync(manifest)) {
    process.stderr.write(`skipped: there is no ${manifest}\n`);
    return undefined;
  }
  return z.array(officeEntry).parse(JSON.parse(readFileSync(manifest, 'utf8')));
};
