import type { IngestDeps } from '../incoming-file.ts';
import { findImportedClash } from '../queries/imported.ts';
import { type Recorder, takeIn } from '../take-in.ts';
import type { Alongside, ImportedFile, ImportedResult } from './imported-file.ts';
import { ImportedRecorder, type IndexDocuments } from './record-imported.ts';

export interface ImportedOptions<F extends ImportedFile> {
  readonly alongside: Alongside<F>;
  readonly index: IndexDocuments;
}

/**
 * Takes in files from the archive of another system as `ingest` does, with what is known of them there. Those with text are completed,
 * the others wait to be read behind everything else. The returned function may be called for several files at once, which are written
 * in one transaction. Throws as `ingest` does, but notes nothing then: whoever runs the import decides what comes of it.
 */
export const makeImportedIngest = <F extends ImportedFile>(
  deps: IngestDeps,
  { alongside, index }: ImportedOptions<F>,
): ((file: F) => Promise<ImportedResult>) => {
  const recorder = new ImportedRecorder(deps, alongside, index);
  return (file) => takeIn(file, deps, recorder);
};

/** No document has it. */
const NO_DOCUMENT = '00000000-0000-4000-8000-000000000000';

/** Judges files as `makeImportedIngest` does and answers what would become of them, but stores and writes nothing. */
export const makeImportedPreview = (deps: IngestDeps): ((file: ImportedFile) => Promise<ImportedResult>) => {
  const seen = new Set<string>();
  const recorder: Recorder<ImportedFile, ImportedResult> = {
    isPreview: true,
    arrival: async (_deps, { ownerId, filing, received: { sha256 } }) => {
      const { documentId, isNumberTaken } = await findImportedClash(deps.db, { ownerId, sha256, archiveNumber: filing.archiveNumber });
      const key = `${ownerId} ${sha256}`;
      if (documentId !== undefined || seen.has(key)) return { outcome: 'duplicate', documentId: documentId ?? NO_DOCUMENT };
      seen.add(key);
      return { outcome: 'ingested', documentId: NO_DOCUMENT, isNumberTaken };
    },
    refusal: async (_deps, _file, refusal) => ({ outcome: 'refused', ...refusal }),
  };
  return (file) => takeIn(file, deps, recorder);
};
