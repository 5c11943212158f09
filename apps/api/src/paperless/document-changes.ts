import type { Db } from '@sheaf/db';
import { type FieldKind, findByNumbers, fromPaperlessValue, type NumberOf, numbersOf, readFieldKinds, refuseField } from '@sheaf/paperless';
import { z } from 'zod';
import { paperlessDocument } from './bodies.ts';
import { requireNumbers } from './query.ts';
import { requestBody } from './request-body.ts';

const number = z.int();
const numberOrText = z.union([number, z.string().regex(/^\d{1,10}$/)]).transform(Number);

/** Custom fields as programs send them: fields with values, values by fields, or fields alone, which have no value yet. */
export const givenFields = z.union([
  z.array(requestBody({ field: numberOrText, value: z.unknown().optional() }, ['document', 'created'])),
  z.array(numberOrText),
  z.record(z.string().regex(/^\d{1,10}$/), z.unknown()),
]);
type GivenFields = z.infer<typeof givenFields>;

/** What a program may change of a document. There are no inbox tags to remove. */
export const documentChanges = requestBody(
  {
    title: z.string().optional(),
    content: z.string().optional(),
    created: z.string().nullable().optional(),
    created_date: z.string().nullable().optional(),
    archive_serial_number: number.nullable().optional(),
    correspondent: number.nullable().optional(),
    document_type: number.nullable().optional(),
    storage_path: number.nullable().optional(),
    owner: number.nullable().optional(),
    tags: z.array(number).max(1_000).optional(),
    custom_fields: givenFields.optional(),
    set_permissions: z.unknown().optional(),
  },
  paperlessDocument,
  ['remove_inbox_tags'],
);
export type DocumentChanges = z.infer<typeof documentChanges>;

const hasNumber = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'object' && value !== null && Object.values(value).some(hasNumber));

/** Refuses permissions that name users or groups, and owners; none are what everything has here. */
export const refusePeople = (permissions: unknown, owner?: number | null): void => {
  // their form is a few levels deep at most; a body that is deeper was refused by its reader
  if (hasNumber(permissions) || typeof owner === 'number')
    throw refuseField('set_permissions', 'is not supported: roles decide who may do what');
};

/** Refuses an owner that is another user than this one; null is none, as programs send it for what nobody owns. */
export const requireOwner = async (db: Db, userId: string, owner: number | null | undefined): Promise<void> => {
  if (owner === undefined || owner === null) return;
  if ((await findByNumbers(db, 'user', [owner])).get(owner) !== userId) throw refuseField('owner', 'cannot be changed');
};

/** Refuses what there is no place for, where ignoring it would let the sender believe that it was done. */
export const refuseForeign = ({ storage_path: storagePath, set_permissions: permissions }: DocumentChanges): void => {
  if (typeof storagePath === 'number') throw refuseField('storage_path', `Invalid pk "${storagePath}" - object does not exist.`);
  refusePeople(permissions);
};

const toPairs = (given: GivenFields): [number, unknown][] =>
  Array.isArray(given)
    ? given.map((each): [number, unknown] => (typeof each === 'number' ? [each, undefined] : [each.field, each.value]))
    : Object.entries(given).map(([id, value]): [number, unknown] => [Number(id), value]);

export interface FieldContext {
  readonly db: Db;
  readonly kinds: readonly FieldKind[];
  readonly numberOf: NumberOf;
}

/** The custom fields with their numbers. */
export const openFields = async (db: Db): Promise<FieldContext> => {
  const kinds = await readFieldKinds(db);
  const numberOf = await numbersOf(
    db,
    kinds.map(({ id }) => ({ kind: 'custom_field', id })),
  );
  return { db, kinds, numberOf };
};

/** The fields behind the numbers. Throws VALIDATION_ERROR where there is none. */
export const fieldNumbered = ({ kinds, numberOf }: FieldContext, wanted: number): FieldKind => {
  const kind = kinds.find(({ id }) => numberOf('custom_field', id) === wanted);
  if (kind === undefined) throw refuseField('custom_fields', `Invalid pk "${wanted}" - object does not exist.`);
  return kind;
};

/** Changes of custom fields as our own routes take them. */
export interface GivenFieldChanges {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly empty_fields?: readonly string[];
}

/** Fields that are null stay on the document without a value, and those that are named alone with the value that they have. */
export const toFieldChanges = async (context: FieldContext, given: GivenFields): Promise<Required<GivenFieldChanges>> => {
  const findDocument = async (wanted: number): Promise<string> => {
    const id = (await findByNumbers(context.db, 'document', [wanted])).get(wanted);
    if (id === undefined) throw refuseField('custom_fields', `Invalid pk "${wanted}" - object does not exist.`);
    return id;
  };
  const changes = new Map<string, unknown>();
  const empty = new Set<string>();
  for (const [wanted, value] of toPairs(given)) {
    const kind = fieldNumbered(context, wanted);
    const own = value === undefined ? undefined : await fromPaperlessValue(kind, value, findDocument);
    if (own !== undefined) changes.set(kind.name, own);
    if (own === undefined || own === null) empty.add(kind.name);
    else empty.delete(kind.name);
  }
  return { fields: Object.fromEntries(changes), empty_fields: [...empty] };
};

/** The list is all that the document has: what is missing in it goes. */
export const replaceFields = async (db: Db, given: GivenFields, before: readonly string[]): Promise<GivenFieldChanges> => {
  const { fields, empty_fields: empty } = await toFieldChanges(await openFields(db), given);
  const gone = before.filter((name) => !Object.hasOwn(fields, name) && !empty.includes(name)).map((name) => [name, null]);
  return { fields: { ...Object.fromEntries(gone), ...fields }, empty_fields: empty };
};

/** The id behind the number that a field has; null and nothing stay what they are. */
export const idIn = async (
  db: Db,
  kind: 'correspondent' | 'document_type',
  wanted: number | null | undefined,
): Promise<string | null | undefined> => (typeof wanted === 'number' ? (await requireNumbers(db, kind, [wanted], kind))[0] : wanted);
