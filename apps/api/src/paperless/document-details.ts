import type { FieldValue } from '@sheaf/contract/documents';
import type { RuleValue } from '@sheaf/contract/rules';
import type { Db } from '@sheaf/db';
import type { RuleChange } from '@sheaf/db/schema';
import { getDocument, type LabelledDocument, listNotes, type Note } from '@sheaf/documents';
import { listVersions, type Version } from '@sheaf/documents/versions';
import { listFacts } from '@sheaf/filing/facts';
import { type NumberOf, nextAsn, numbersOf, type PaperlessKind } from '@sheaf/paperless';
import { listRuleChanges } from '@sheaf/rules';
import type { RuleField } from '@sheaf/vocabulary/rules';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import { anyQuery, numberParams, requireKnown, requireNumber } from './query.ts';
import { PAPERLESS_PREFIX, type PaperlessServices } from './requests.ts';

const changeBody = z.union([
  z.tuple([z.string(), z.string()]),
  z.strictObject({ type: z.literal('m2m'), operation: z.enum(['add', 'delete']), objects: z.array(z.string()) }),
  z.strictObject({ type: z.literal('custom_field'), field: z.string(), value: z.string() }),
]);
type Change = z.infer<typeof changeBody>;

const entryBody = z.strictObject({
  id: z.int(),
  timestamp: z.iso.datetime(),
  action: z.enum(['create', 'update']),
  changes: z.record(z.string(), changeBody),
  actor: z.strictObject({ id: z.int(), username: z.string() }).nullable(),
});
type Entry = Omit<z.infer<typeof entryBody>, 'id'>;

/** How Paperless writes that there is nothing. */
const NONE = 'None';

const filesOf = (versions: readonly Version[]): Entry[] =>
  versions
    .toSorted((a, b) => a.version - b.version)
    .map((version, n, all) => {
      const before = all[n - 1];
      return {
        timestamp: version.createdAt.toISOString(),
        action: before === undefined ? 'create' : 'update',
        changes: {
          original_filename: [before?.filename ?? NONE, version.filename],
          mime_type: [before?.mimeType ?? NONE, version.mimeType],
          checksum: [before?.sha256 ?? NONE, version.sha256],
        },
        actor: null,
      };
    });

const noteEntry = ({ text, author, createdAt }: Note, numberOf: NumberOf): Entry => ({
  timestamp: createdAt.toISOString(),
  action: 'update',
  changes: { notes: { type: 'm2m', operation: 'add', objects: [text] } },
  actor: author === undefined ? null : { id: numberOf('user', author.id), username: author.username },
});

/** What Paperless calls the fields that name an object, and of which kind the object is. */
const REFERENCES: Readonly<Partial<Record<RuleField, { readonly name: string; readonly kind: PaperlessKind }>>> = {
  correspondent: { name: 'correspondent', kind: 'correspondent' },
  document_type: { name: 'document_type', kind: 'document_type' },
  owner: { name: 'owner', kind: 'user' },
};

const textOf = (value: FieldValue | undefined): string => {
  if (value === undefined) return NONE;
  return typeof value === 'object' ? `${value.currency}${value.amount}` : String(value);
};

const ruleEntry = (field: RuleField, [from, to]: readonly [RuleValue | null, RuleValue | null], at: Date, numberOf: NumberOf): Entry => {
  const reference = REFERENCES[field];
  const numbered = (value: RuleValue | null, kind: PaperlessKind): string => (value === null ? NONE : String(numberOf(kind, value.id)));
  const changeOf = (): Record<string, Change> => {
    if (reference !== undefined) return { [reference.name]: [numbered(from, reference.kind), numbered(to, reference.kind)] };
    if (field === 'field')
      return { custom_fields: { type: 'custom_field', field: to?.name ?? from?.name ?? '', value: textOf(to?.value) } };
    return { tags: { type: 'm2m', operation: to === null ? 'delete' : 'add', objects: [to?.name ?? from?.name ?? ''] } };
  };
  return { timestamp: at.toISOString(), action: 'update', changes: changeOf(), actor: null };
};

const ruleEntries = ({ field, from, to, changedAt, undoneAt }: RuleChange, numberOf: NumberOf): Entry[] => [
  ruleEntry(field, [from, to], changedAt, numberOf),
  ...(undoneAt === null ? [] : [ruleEntry(field, [to, from], undoneAt, numberOf)]),
];

/** What is kept of the past of a document: its files, its notes and what rules changed. */
export const history = ({ database: { db } }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents/{id}/history`,
    access: 'documents.read',
    summary: 'List when a document came, its later files, its notes and what rules changed, the newest first',
    params: numberParams,
    query: anyQuery,
    response: z.array(entryBody),
    handle: async ({ params, query, principal }) => {
      requireKnown(query, () => false);
      const document = await getDocument(db, principal, await requireNumber(db, 'document', params));
      const [versions, notes, changes] = await Promise.all([
        listVersions(db, document),
        listNotes(db, document.id),
        listRuleChanges(db, document.id),
      ]);
      const numberOf = await numbersOf(db, [
        ...notes.flatMap(({ author }) => (author === undefined ? [] : [{ kind: 'user' as const, id: author.id }])),
        ...changes.flatMap(({ field, from, to }) => {
          const kind = REFERENCES[field]?.kind;
          return kind === undefined ? [] : [from, to].flatMap((value) => (value === null ? [] : [{ kind, id: value.id }]));
        }),
      ]);
      const entries = [
        ...filesOf(versions),
        ...notes.map((note) => noteEntry(note, numberOf)),
        ...changes.toReversed().flatMap((change) => ruleEntries(change, numberOf)),
      ].toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0));
      return entries.map((entry, n) => ({ id: n + 1, ...entry })).toReversed();
    },
  });

interface DocumentDetail<R> {
  /** The end of its path. */
  readonly name: string;
  readonly summary: string;
  readonly response: z.ZodType<R>;
  readonly show: (document: LabelledDocument) => Promise<R>;
}

/** GET of something of a document that the caller may read. */
const detailRoute = <R>(db: Db, { name, summary, response, show }: DocumentDetail<R>): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents/{id}/${name}`,
    access: 'documents.read',
    summary,
    params: numberParams,
    query: anyQuery,
    response,
    handle: async ({ params, principal }) => show(await getDocument(db, principal, await requireNumber(db, 'document', params))),
  });

const metadataBody = z.strictObject({
  original_checksum: z.string(),
  original_size: z.int(),
  original_mime_type: z.string(),
  original_filename: z.string(),
  original_metadata: z.array(z.never()),
  media_filename: z.string(),
  has_archive_version: z.literal(false),
  archive_checksum: z.null(),
  archive_media_filename: z.null(),
  archive_size: z.null(),
  archive_metadata: z.null(),
  lang: z.string(),
});

export const metadata = ({ database: { db } }: PaperlessServices): Route =>
  detailRoute(db, {
    name: 'metadata',
    summary: 'Get what is known of the file of a document',
    response: metadataBody,
    show: async (document) => ({
      original_checksum: document.sha256,
      original_size: document.sizeBytes,
      original_mime_type: document.mimeType,
      original_filename: document.filename,
      original_metadata: [],
      media_filename: document.filename,
      has_archive_version: false as const,
      archive_checksum: null,
      archive_media_filename: null,
      archive_size: null,
      archive_metadata: null,
      lang: document.language ?? '',
    }),
  });

const suggestionsBody = z.strictObject({
  correspondents: z.array(z.int()),
  tags: z.array(z.int()),
  document_types: z.array(z.int()),
  storage_paths: z.array(z.int()),
  dates: z.array(z.iso.date()),
});

/** What was found in the text, whether or not the document is filed by it. */
export const suggestions = ({ database: { db } }: PaperlessServices): Route =>
  detailRoute(db, {
    name: 'suggestions',
    summary: 'Get senders and dates that a document states',
    response: suggestionsBody,
    show: async (document) => {
      const facts = await listFacts(db, document);
      const senders = new Set(
        facts.flatMap(({ kind, correspondentId }) => (kind === 'sender' && correspondentId !== null ? [correspondentId] : [])),
      );
      const numberOf = await numbersOf(
        db,
        [...senders].map((id) => ({ kind: 'correspondent', id })),
      );
      const dates = facts.flatMap(({ kind, value }) => (kind === 'document_date' ? [value] : []));
      return {
        correspondents: [...senders].map((id) => numberOf('correspondent', id)),
        tags: [],
        document_types: [],
        storage_paths: [],
        dates: [...new Set(dates)],
      };
    },
  });

export const nextNumber = ({ database }: PaperlessServices): Route =>
  jsonRoute({
    method: 'get',
    path: `${PAPERLESS_PREFIX}/documents/next_asn`,
    access: 'documents.update',
    summary: 'Get the number after the highest archive number in use',
    query: anyQuery,
    response: z.int(),
    handle: ({ principal }) => nextAsn(database.db, principal),
  });
