import type { FieldValue } from '@sheaf/contract/documents';
import type { RuleValue } from '@sheaf/contract/rules';
import type { RuleChange } from '@sheaf/db/schema';
import { getDocument, listNotes, type Note } from '@sheaf/documents';
import { listVersions, type Version } from '@sheaf/documents/versions';
import { type NumberOf, numbersOf, type PaperlessKind } from '@sheaf/paperless';
import { listRuleChanges } from '@sheaf/rules';
import type { RuleField } from '@sheaf/vocabulary/rules';
import { z } from 'zod';
import { jsonRoute, type Route } from '../http/route.ts';
import type { PaperlessServices } from './paperless-services.ts';
import { anyQuery, numberParams, requireKnown, requireNumber } from './query.ts';
import { PAPERLESS_PREFIX } from './requests.ts';

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
