import { buffer } from 'node:stream/consumers';
import {
  openPaperlessArchive,
  PAPERLESS_MODELS,
  type PaperlessFields,
  type PaperlessModel,
  type PaperlessRecord,
} from '@sheaf/paperless/archive';

export type ReadRecord<Model extends PaperlessModel> = Omit<PaperlessRecord, 'fields'> & { readonly fields: PaperlessFields<Model> };

/** An export as a reader of the format finds it. */
export interface ReadExport {
  readonly version: string;
  of<Model extends PaperlessModel>(model: Model): ReadRecord<Model>[];
  /** The content of the files of documents, by their names. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Reads all of a small export; every record has to be valid. */
export const readExport = async (path: string): Promise<ReadExport> => {
  await using archive = await openPaperlessArchive(path);
  const records: PaperlessRecord[] = [];
  const files = new Map<string, Buffer>();
  for await (const record of archive.records(Object.keys(PAPERLESS_MODELS))) {
    records.push(record);
    const { original } = record.files;
    const opened = original === undefined ? undefined : await archive.openFile(original);
    if (original !== undefined && opened !== undefined) files.set(original, await buffer(opened.stream));
  }
  return {
    version: archive.version,
    files,
    of: (model) =>
      records
        .filter((record) => record.model === model)
        .map((record) => ({ ...record, fields: PAPERLESS_MODELS[model].parse(record.fields) as PaperlessFields<typeof model> })),
  };
};
