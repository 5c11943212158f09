import type { Db } from '@sheaf/db';
import type { ImportItems, ImportReport } from '@sheaf/imports/shared';
import { inBatches } from '@sheaf/process';
import type { Principal } from '@sheaf/vocabulary/permissions';
import type { z } from 'zod';
import type { PaperlessArchive, PaperlessRecord } from '../archive/index.ts';

/** What the parts of an import work with. */
export interface ImportContext {
  readonly db: Db;
  readonly archive: PaperlessArchive;
  readonly small: SmallRecords;
  readonly items: ImportItems;
  readonly report: ImportReport;
  /** Who requested the import: everything is made in this user's name, and within these permissions. */
  readonly by: Principal;
  /** What the other system is called here, as in the ids of its documents. */
  readonly source: string;
  readonly isDryRun: boolean;
}

/** A record whose parts were found to be what they should be. */
export interface ReadRecord<F> {
  readonly pk: string;
  readonly fields: F;
  readonly files: PaperlessRecord['files'];
}

/** What people know a record by. */
export const nameOf = ({ pk, fields }: Pick<PaperlessRecord, 'pk' | 'fields'>): string => {
  const name = [fields['name'], fields['title'], fields['username'], fields['slug']].find(
    (text) => typeof text === 'string' && text !== '',
  );
  return typeof name === 'string' ? name : String(pk);
};

/** Models of which an installation has few records: they are read once, and kept. */
const SMALL_MODELS = [
  'auth.group',
  'auth.permission',
  'auth.user',
  'documents.correspondent',
  'documents.customfield',
  'documents.documenttype',
  'documents.savedview',
  'documents.savedviewfilterrule',
  'documents.storagepath',
  'documents.tag',
] as const;
type SmallModel = (typeof SMALL_MODELS)[number];

/** The records of small models, by their models. */
export type SmallRecords = ReadonlyMap<string, readonly PaperlessRecord[]>;

export const readSmallRecords = async (archive: PaperlessArchive): Promise<SmallRecords> => {
  const found = new Map<string, PaperlessRecord[]>(SMALL_MODELS.map((model) => [model, []]));
  for await (const record of archive.records(SMALL_MODELS)) found.get(record.model)?.push(record);
  return found;
};

/** The record as its parts should be; undefined where they are not, which is reported. */
export const readRecord = <S extends z.ZodType>(
  { report }: Pick<ImportContext, 'report'>,
  record: PaperlessRecord,
  schema: S,
): ReadRecord<z.output<S>> | undefined => {
  const { success, data, error } = schema.safeParse(record.fields);
  if (success) return { pk: String(record.pk), fields: data, files: record.files };
  const [issue] = error.issues;
  report.leave(record.model, nameOf(record), `The record cannot be read: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`);
  return undefined;
};

/** The records of a model of which there may be many; one that cannot be read is left out, and reported. */
export async function* readRecords<S extends z.ZodType>(
  context: Pick<ImportContext, 'archive' | 'report'>,
  model: string,
  schema: S,
): AsyncGenerator<ReadRecord<z.output<S>>> {
  for await (const record of context.archive.records([model])) {
    const read = readRecord(context, record, schema);
    if (read !== undefined) yield read;
  }
}

/** The records of such a model that no import has taken over before, in pieces of at most `size`. */
export async function* readNewRecords<S extends z.ZodType>(
  context: Pick<ImportContext, 'db' | 'items' | 'archive' | 'report'>,
  model: string,
  { schema, size }: { readonly schema: S; readonly size: number },
): AsyncGenerator<ReadRecord<z.output<S>>[]> {
  for await (const batch of inBatches(readRecords(context, model, schema), size)) {
    const known = await context.items.find(
      context.db,
      model,
      batch.map(({ pk }) => pk),
    );
    yield batch.filter(({ pk }) => !known.has(pk));
  }
}

/** All records of a model that has few, by their ids. */
export const readAll = <S extends z.ZodType>(
  context: Pick<ImportContext, 'small' | 'report'>,
  model: SmallModel,
  schema: S,
): Map<string, z.output<S>> =>
  new Map(
    (context.small.get(model) ?? []).flatMap((record) => {
      const read = readRecord(context, record, schema);
      return read === undefined ? [] : [[read.pk, read.fields] as const];
    }),
  );
