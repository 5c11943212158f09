import { recordAudit } from '@sheaf/accounts/users';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { customFields } from '@sheaf/db/schema';
import { createField, findFieldsByName, type SettableField } from '@sheaf/documents/custom-fields';
import { toName } from '@sheaf/imports/shared';
import { type FieldType, MAX_CHOICE_CHARACTERS, MAX_CHOICES, MAX_FIELD_NAME_CHARACTERS } from '@sheaf/vocabulary/custom-fields';
import { PAPERLESS_FIELD_TYPES } from '../archive/index.ts';
import { type ImportContext, readAll } from './context.ts';
import { type CustomFieldFields, customFieldFields, storagePathFields } from './records.ts';

const MODEL = 'documents.customfield';
/** A link here leads to one document: more of one field need fields of their own, up to so many. */
const MAX_LINKS = 10;
const STORAGE_PATH = 'Storage path';

/** A custom field of the other system, and what its values become. */
export interface ImportedField {
  readonly name: string;
  readonly dataType: string;
  /** One, but for links to several documents. */
  readonly fields: readonly SettableField[];
  /** What can be chosen, by its id or its place. */
  readonly options: ReadonlyMap<string, string>;
  /** Of amounts without one. */
  readonly currency: string;
}

const choicesOf = ({ extra_data: { select_options: options = [] } }: CustomFieldFields): string[] => {
  const labels = options.flatMap(({ label }) => toName(label, MAX_CHOICE_CHARACTERS) ?? []);
  return [...new Map(labels.map((label) => [label.toLowerCase(), label])).values()];
};

const optionsOf = (
  { extra_data: { select_options: options = [] } }: CustomFieldFields,
  choices: readonly string[],
): Map<string, string> => {
  const spelling = new Map(choices.map((choice) => [choice.toLowerCase(), choice]));
  const found = options.flatMap(({ id, label }, at) => {
    const choice = spelling.get((toName(label, MAX_CHOICE_CHARACTERS) ?? '').toLowerCase());
    return choice === undefined ? [] : [[id ?? String(at), choice] as const];
  });
  return new Map(found);
};

interface Wanted {
  readonly name: string;
  readonly type: FieldType;
  readonly choices: readonly string[];
  readonly defaultCurrency: string | null;
}

/** Whether the values of the one can be values of the other. */
const fits = (field: SettableField, { type, choices }: Wanted): boolean =>
  (field.type === type || (type === 'integer' && field.type === 'number')) && choices.every((choice) => field.choices.includes(choice));

const make = async (tx: Db, { by }: ImportContext, { name, type, choices, defaultCurrency }: Wanted): Promise<SettableField> => {
  const { id } = await createField(tx, by, { name, type, choices, defaultCurrency, documentTypeId: null });
  await recordAudit(tx, {
    actor: by,
    action: 'field.created',
    outcome: 'success',
    subject: { type: 'field', id },
    details: { name, type },
  });
  return { id, name, type, choices: [...choices] };
};

/** The field of this name where its values fit, else a new one, with a number where the name is in use. */
const findOrMake = async (tx: Db, context: ImportContext, wanted: Wanted): Promise<{ field: SettableField; isJoined: boolean }> => {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted.name : `${wanted.name.slice(0, MAX_FIELD_NAME_CHARACTERS - 4)} (${number})`;
    const found = (await findFieldsByName(tx, [name])).get(name);
    const same = found && { id: found.id, name: found.name, type: found.type, choices: [...found.choices] };
    if (same !== undefined && fits(same, wanted)) return { field: same, isJoined: true };
    if (same !== undefined) continue;
    if (number > 1)
      context.report.leave(
        'field name',
        wanted.name,
        `A field of this name has another type or other choices; the field is called ${name}`,
      );
    return { field: await make(tx, context, { ...wanted, name }), isJoined: false };
  }
};

/** The default currency of a field; null where there is none, or what is none. */
const currencyOf = ({ extra_data: { default_currency: currency = '' } }: CustomFieldFields): string | null =>
  /^[A-Z]{3}$/.test(currency) ? currency : null;

/** What the field is here. */
const toWanted = ({ report }: ImportContext, given: CustomFieldFields): Wanted | undefined => {
  const name = toName(given.name, MAX_FIELD_NAME_CHARACTERS);
  const type = PAPERLESS_FIELD_TYPES[given.data_type];
  if (name === undefined || name.toLowerCase() === '__proto__' || type === undefined) {
    report.leave(
      'field',
      given.name,
      type === undefined ? `Fields of the type ${given.data_type} are not known` : 'The name cannot be the name of a field',
    );
    return undefined;
  }
  const defaultCurrency = type === 'amount' ? currencyOf(given) : null;
  if (type !== 'choice') return { name, type, choices: [], defaultCurrency };
  const choices = choicesOf(given);
  if (choices.length > 0 && choices.length <= MAX_CHOICES) return { name, type, choices, defaultCurrency };
  report.leave('field choices', name, `A choice has 1 to ${MAX_CHOICES} choices, not ${choices.length}; the field is a text`);
  return { name, type: 'text', choices: [], defaultCurrency };
};

const fieldsOfFurtherLinks = async (tx: Db, context: ImportContext, wanted: Wanted, count: number): Promise<SettableField[]> => {
  const fields: SettableField[] = [];
  for (let number = 2; number <= count; number += 1) {
    const name = `${wanted.name.slice(0, MAX_FIELD_NAME_CHARACTERS - 3)} ${number}`;
    fields.push((await findOrMake(tx, context, { ...wanted, name })).field);
  }
  return fields;
};

const takeField = async (tx: Db, context: ImportContext, pk: string, wanted: Wanted, count: number): Promise<SettableField[]> => {
  const { field, isJoined } = await findOrMake(tx, context, wanted);
  await context.items.add(tx, MODEL, [{ foreignId: pk, localId: field.id, isJoined }]);
  const more = await fieldsOfFurtherLinks(tx, context, wanted, count);
  if (more.length > 0)
    context.report.leave(
      'field',
      wanted.name,
      `A link leads to one document; further ones are in ${more.map(({ name }) => name).join(', ')}`,
    );
  return [field, ...more];
};

/** Takes over the custom fields, whose values lead to so many documents (`links`), and answers what they are here by the ids that they had. */
export const importFields = async (
  context: ImportContext,
  links: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, ImportedField>> => {
  const { db, items, report } = context;
  const given = readAll(context, MODEL, customFieldFields);
  const found = new Map<string, ImportedField>();
  await db.transaction(async (tx) => {
    const known = await items.findRows(tx, MODEL, customFields);
    for (const [pk, field] of given) {
      const id = known.get(pk);
      if (id === null) continue;
      const wanted = toWanted(context, field);
      if (wanted === undefined) continue;
      const count = wanted.type === 'document' ? Math.min(links.get(pk) ?? 1, MAX_LINKS) : 1;
      const fields = id === undefined ? await takeField(tx, context, pk, wanted, count) : await findAgain(tx, context, id, wanted, count);
      if (id === undefined) report.count('fields');
      found.set(pk, {
        name: field.name,
        dataType: field.data_type,
        fields,
        options: optionsOf(field, wanted.choices),
        currency: field.extra_data.default_currency ?? '',
      });
    }
  });
  return found;
};

/** The field of an earlier run, and those of further links, which may be more by now. */
const findAgain = async (tx: Db, context: ImportContext, id: string, wanted: Wanted, count: number): Promise<SettableField[]> => {
  const { rows } = await tx.execute<{ id: string; name: string; type: FieldType; choices: string[] }>(
    sql`select id, name, type, choices from custom_fields where id = ${id}::uuid`,
  );
  return [...rows, ...(await fieldsOfFurtherLinks(tx, context, wanted, count))];
};

export interface ImportedPaths {
  /** Undefined where there are no storage paths. */
  readonly field: SettableField | undefined;
  readonly names: ReadonlyMap<string, string>;
}

/** Storage paths name files there; here their names are values of a field. */
export const importStoragePaths = async (context: ImportContext): Promise<ImportedPaths> => {
  const paths = readAll(context, 'documents.storagepath', storagePathFields);
  const names = new Map([...paths].map(([pk, { name }]) => [pk, name]));
  for (const { name, path } of paths.values())
    context.report.leave(
      'storage path',
      name,
      `Files are not named by templates; the name is in the field ${STORAGE_PATH}. Template: ${path}`,
    );
  if (paths.size === 0) return { field: undefined, names };
  const { field } = await context.db.transaction((tx) =>
    findOrMake(tx, context, { name: STORAGE_PATH, type: 'text', choices: [], defaultCurrency: null }),
  );
  return { field, names };
};
