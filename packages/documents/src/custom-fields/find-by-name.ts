import { type Issue, makeIssue, validationError } from '@sheaf/contract';
import type { Db } from '@sheaf/db';
import { sql } from '@sheaf/db/drizzle';
import { type FieldType, MAX_FIELD_NAME_CHARACTERS } from '@sheaf/vocabulary/custom-fields';

/** A field that somebody has named. */
export interface NamedField {
  /** As it was written. */
  readonly given: string;
  readonly id: string;
  readonly name: string;
  readonly type: FieldType;
  readonly choices: readonly string[];
}

interface FoundRow extends Record<string, unknown>, Omit<NamedField, 'choices'> {
  readonly choices: string[];
}

/** A name that PostgreSQL can be asked for. */
const canBeName = (text: string): boolean => text.length <= 2 * MAX_FIELD_NAME_CHARACTERS && !text.includes('\0') && text.isWellFormed();

/** What a name looks like that people may have written otherwise. */
const tidy = (text: string): string => text.trim().normalize('NFC');

/** The fields of these names, the case of letters aside, by what was given. `lock`: nobody changes them until the end of the transaction. */
export const findFieldsByName = async (
  db: Db,
  names: readonly string[],
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<ReadonlyMap<string, NamedField>> => {
  const wanted = names.filter(canBeName);
  if (wanted.length === 0) return new Map();
  const { rows } = await db.execute<FoundRow>(sql`
    select wishes.given, custom_fields.id, name, type, choices
    from unnest(${sql.param(wanted)}::text[], ${sql.param(wanted.map(tidy))}::text[]) as wishes (given, wanted)
    join custom_fields on lower(name) = lower(wanted)
    order by custom_fields.id ${lock ? sql`for share of custom_fields` : sql``}`);
  return new Map(rows.map((row) => [row.given, row]));
};

/** What is wrong with names of which `found` are fields: one of them is none, or two are one. `path` is where the names stand. */
export const nameIssues = (found: ReadonlyMap<string, NamedField>, names: readonly string[], path: string): Issue[] => {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const name of names) {
    const id = found.get(name)?.id;
    if (id === undefined) issues.push(makeIssue(`${path}.${name}`, 'unknown_field'));
    else if (seen.has(id)) issues.push(makeIssue(`${path}.${name}`, 'field_twice'));
    else seen.add(id);
  }
  return issues;
};

/** The fields of all these names. Throws VALIDATION_ERROR where one of them is none, or two are one. `path` is where the names stand. */
export const requireFieldsByName = async (db: Db, names: readonly string[], path: string): Promise<ReadonlyMap<string, NamedField>> => {
  const found = await findFieldsByName(db, names);
  refuse(nameIssues(found, names, path));
  return found;
};

/** Throws VALIDATION_ERROR where there are issues. */
export const refuse = (issues: readonly Issue[]): void => {
  const [first] = issues;
  if (first !== undefined) throw validationError(`${first.path}: ${first.message}`, { issues });
};
