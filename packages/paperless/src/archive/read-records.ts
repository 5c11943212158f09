import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { PaperlessArchiveError } from './archive-error.ts';
import { isSplitManifest } from './entry-name.ts';
import type { EntrySource } from './entry-source.ts';
import { jsonElements } from './json-elements.ts';

/** A record of the manifest, as Django's serializer writes it. */
export interface PaperlessRecord {
  /** Such as documents.document. */
  readonly model: string;
  readonly pk: number | string;
  /** See PAPERLESS_MODELS. */
  readonly fields: Record<string, unknown>;
  /** Names within the export; not judged yet, `openFile` does. */
  readonly files: { readonly original?: string; readonly archive?: string; readonly thumbnail?: string };
  /** What an export that Sheaf itself wrote says beside the format: ids, and names as they were before they were shortened. */
  readonly sheaf?: Readonly<Record<string, unknown>>;
}

export const MANIFEST = 'manifest.json';
/** The text of the longest documents is some MB. */
export const MAX_RECORD_BYTES = 32 * 1024 * 1024;
const MAX_MODEL_CHARS = 200;
/** Where Django writes the model: a record that is not wanted need not be parsed. */
const HEAD_BYTES = 300;
const HEAD = /^\{\s*"model"\s*:\s*"(?<model>[a-z_.]{1,200})"/;

const fileName = z.string().optional().catch(undefined);
const recordSchema = z.object({
  model: z.string().min(1).max(MAX_MODEL_CHARS),
  pk: z.union([z.int(), z.string().max(MAX_MODEL_CHARS)]),
  fields: z.record(z.string(), z.unknown()),
  __exported_file_name__: fileName,
  __exported_archive_name__: fileName,
  __exported_thumbnail_name__: fileName,
  __sheaf__: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

const isUnwanted = (element: Buffer, models: ReadonlySet<string>): boolean => {
  const model = HEAD.exec(element.toString('latin1', 0, HEAD_BYTES))?.groups?.['model'];
  return model !== undefined && !models.has(model);
};

const parseRecord = (element: Buffer, where: () => string): PaperlessRecord => {
  let content: unknown;
  try {
    content = JSON.parse(element.toString());
  } catch (error) {
    throw new PaperlessArchiveError('manifest_invalid', where(), error);
  }
  const parsed = recordSchema.safeParse(content);
  if (!parsed.success) throw new PaperlessArchiveError('manifest_invalid', where(), parsed.error);
  const { model, pk, fields, __sheaf__: sheaf, ...names } = parsed.data;
  const { __exported_file_name__: original, __exported_archive_name__: archive, __exported_thumbnail_name__: thumbnail } = names;
  return {
    model,
    pk,
    fields,
    files: {
      ...(original === undefined ? {} : { original }),
      ...(archive === undefined ? {} : { archive }),
      ...(thumbnail === undefined ? {} : { thumbnail }),
    },
    ...(sheaf === undefined ? {} : { sheaf }),
  };
};

async function* recordsOf(source: EntrySource, file: string, models: ReadonlySet<string>): AsyncGenerator<PaperlessRecord> {
  const opened = await source.open(file);
  if (opened === undefined) throw new PaperlessArchiveError('manifest_missing', file);
  let count = 0;
  try {
    for await (const element of jsonElements(opened.stream, file, MAX_RECORD_BYTES)) {
      count += 1;
      const where = (): string => `${file}, record ${count}`;
      if (!isUtf8(element)) throw new PaperlessArchiveError('manifest_invalid', `${where()}: not UTF-8`);
      if (isUnwanted(element, models)) continue;
      const record = parseRecord(element, where);
      if (models.has(record.model)) yield record;
    }
  } finally {
    opened.stream.destroy();
  }
}

/** The records of these models: those of the manifest, then those of the documents that have manifests of their own. */
export async function* readRecords(source: EntrySource, models: readonly string[]): AsyncGenerator<PaperlessRecord> {
  const wanted = new Set(models);
  yield* recordsOf(source, MANIFEST, wanted);
  for await (const name of source.names()) if (isSplitManifest(name)) yield* recordsOf(source, name, wanted);
}
