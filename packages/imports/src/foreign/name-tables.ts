import type { Db } from '@sheaf/db';
import { and, asc, desc, eq, isNull, type PgTable, type SQL, sql } from '@sheaf/db/drizzle';
import { labels } from '@sheaf/db/schema';
import { CORRESPONDENTS, createEntry, DOCUMENT_TYPES, type FilingKind } from '@sheaf/filing';
import { createLabel, getParent, lockLabelTree } from '@sheaf/labels';
import {
  MAX_CORRESPONDENT_CHARACTERS,
  MAX_DOCUMENT_TYPE_CHARACTERS,
  MAX_LABEL_CHARACTERS,
  MAX_LABEL_LEVELS,
} from '@sheaf/vocabulary/limits';
import { toName } from '../names.ts';
import type { ForeignContext } from './foreign-context.ts';

const DEFAULT_COLOR = '#a6cee3';

interface Kind {
  readonly model: 'correspondent' | 'document_type';
  readonly filing: FilingKind;
  readonly maxCharacters: number;
  readonly counted: 'correspondents' | 'document_types';
  readonly details: Readonly<Record<string, readonly string[]>>;
}

const KINDS: Readonly<Record<'correspondent' | 'documentType', Kind>> = {
  correspondent: {
    model: 'correspondent',
    filing: CORRESPONDENTS,
    maxCharacters: MAX_CORRESPONDENT_CHARACTERS,
    counted: 'correspondents',
    details: { aliases: [], ibans: [], vatIds: [], domains: [] },
  },
  documentType: {
    model: 'document_type',
    filing: DOCUMENT_TYPES,
    maxCharacters: MAX_DOCUMENT_TYPE_CHARACTERS,
    counted: 'document_types',
    details: {},
  },
};

/** The label of this name below `parent`, below none where that is undefined, or anywhere where it is null; the administrator's own before others. */
const findLabel = async (tx: Db, name: string, parent: string | null | undefined, userId: string): Promise<string | undefined> => {
  const place: SQL | undefined = parent === null ? undefined : parent === undefined ? isNull(labels.parentId) : eq(labels.parentId, parent);
  const [row] = await tx
    .select({ id: labels.id })
    .from(labels)
    .where(and(sql`lower(${labels.name}) = lower(${name})`, place))
    .orderBy(desc(eq(labels.createdBy, userId)), asc(labels.createdAt), asc(labels.id))
    .limit(1);
  return row?.id;
};

/**
 * What the names of another system are here: an entry that is there, one that an earlier run made of the name, or a new one. What was
 * deleted here since is not made again: it is undefined.
 */
export class NameTables {
  readonly #context: ForeignContext;
  readonly #known = new Map<string, string | undefined>();

  constructor(context: ForeignContext) {
    this.#context = context;
  }

  correspondent(name: string): Promise<string | undefined> {
    return this.#entry(KINDS.correspondent, name);
  }

  documentType(name: string): Promise<string | undefined> {
    return this.#entry(KINDS.documentType, name);
  }

  /** The label at the end of a path of names. */
  async label(path: readonly string[]): Promise<string | undefined> {
    const names = path.flatMap((given) => toName(given, MAX_LABEL_CHARACTERS) ?? []);
    if (names.length > MAX_LABEL_LEVELS)
      await this.#once(`levels ${names.join('/')}`, async () => {
        this.#context.report.leave('label', names.join('/'), `Labels have at most ${MAX_LABEL_LEVELS} levels; those below are left out`);
        return undefined;
      });
    let parent: string | undefined;
    for (const [index, name] of names.slice(0, MAX_LABEL_LEVELS).entries()) {
      const above = names.slice(0, index);
      const id = await this.#once(`label ${JSON.stringify([...above, name])}`, () => this.#takeLabel(above, name, parent));
      if (id === undefined) return parent;
      parent = id;
    }
    return parent;
  }

  async #once(key: string, find: () => Promise<string | undefined>): Promise<string | undefined> {
    if (!this.#known.has(key)) this.#known.set(key, await find());
    return this.#known.get(key);
  }

  /** What an earlier run made of a name: null where it was deleted since, undefined where there was none. */
  async #knownRow(tx: Db, model: string, table: PgTable, foreignId: string): Promise<string | null | undefined> {
    const item = (await this.#context.items.find(tx, model, [foreignId])).get(foreignId);
    if (item === undefined) return undefined;
    const { rows } = await tx.execute(sql`select 1 from ${table} where id = ${item.localId}::uuid`);
    return rows.length > 0 ? item.localId : null;
  }

  #takeLabel(above: readonly string[], name: string, parent: string | undefined): Promise<string | undefined> {
    const { db, items } = this.#context;
    const foreignId = [...above, name].join('/');
    return db.transaction(async (tx) => {
      await lockLabelTree(tx);
      const known = await this.#knownRow(tx, 'label', labels, foreignId);
      if (known !== undefined) return known ?? undefined;
      const { id, isJoined } = await this.#findOrMakeLabel(tx, above, name, parent);
      await items.add(tx, 'label', [{ foreignId, localId: id, isJoined }]);
      return id;
    });
  }

  /** Names of labels are unique: two folders `2023` below two others are `2023` and `Tax 2023`. */
  async #findOrMakeLabel(
    tx: Db,
    above: readonly string[],
    name: string,
    parent: string | undefined,
  ): Promise<{ readonly id: string; readonly isJoined: boolean }> {
    const { by, report } = this.#context;
    const names = [
      ...new Set([name, ...above.map((_, index) => toName([...above.slice(-index - 1), name].join(' '), MAX_LABEL_CHARACTERS) ?? name)]),
    ];
    for (const one of names) {
      const same = await findLabel(tx, one, parent, by.userId);
      if (same !== undefined) return { id: same, isJoined: true };
    }
    for (const one of names) {
      if ((await findLabel(tx, one, null, by.userId)) !== undefined) continue;
      const upper = parent === undefined ? undefined : await getParent(tx, by, parent);
      const { id } = await createLabel(tx, { name: one, color: DEFAULT_COLOR, description: '' }, upper, by);
      report.count('labels');
      return { id, isJoined: false };
    }
    const elsewhere = await findLabel(tx, name, null, by.userId);
    if (elsewhere === undefined) throw new Error(`there is neither room for the label ${name} nor such a label`);
    return { id: elsewhere, isJoined: true };
  }

  async #entry(kind: Kind, given: string): Promise<string | undefined> {
    const name = toName(given, kind.maxCharacters);
    return name === undefined ? undefined : this.#once(`${kind.model} ${name.toLowerCase()}`, () => this.#takeEntry(kind, name));
  }

  #takeEntry({ model, filing, details, counted }: Kind, name: string): Promise<string | undefined> {
    const { db, items, by, report } = this.#context;
    const { table } = filing;
    return db.transaction(async (tx) => {
      const foreignId = name.toLowerCase();
      const known = await this.#knownRow(tx, model, table, foreignId);
      if (known !== undefined) return known ?? undefined;
      const [same] = await tx
        .select({ id: table.id })
        .from(table)
        .where(sql`lower(${table.name}) = lower(${name})`)
        .orderBy(desc(eq(table.createdBy, by.userId)), asc(table.createdAt), asc(table.id))
        .limit(1);
      const id = same?.id ?? (await createEntry(tx, filing, { name, details }, by)).id;
      await items.add(tx, model, [{ foreignId, localId: id, isJoined: same !== undefined }]);
      if (same === undefined) report.count(counted);
      return id;
    });
  }
}
