import type { Db } from '@sheaf/db';
import { eq, isNull, type PgTable, sql } from '@sheaf/db/drizzle';
import { labels } from '@sheaf/db/schema';
import { createLabel, getParent, lockLabelTree } from '@sheaf/documents/labels';
import { createEntry } from '@sheaf/filing';
import { MAX_LABEL_CHARACTERS, MAX_LABEL_LEVELS } from '@sheaf/vocabulary/limits';
import type { Principal } from '@sheaf/vocabulary/permissions';
import { ENTRY_KINDS, type EntryKind } from '../entry-kinds.ts';
import { DELETED_HERE, findByName } from '../find-by-name.ts';
import type { ImportItems } from '../import-items.ts';
import { toName } from '../names.ts';
import type { ImportReport } from '../report.ts';

const DEFAULT_COLOR = '#a6cee3';

type Model = 'correspondent' | 'document_type';

/** Tells what of a document is left out. */
export type Leave = (kind: string, name: string, reason: string) => void;

/**
 * What the names of another system are here: an entry that is there, one that an earlier run made of the name, or a new one. What was
 * deleted here since is not made again: it is undefined, and each document that names it is reported.
 */
export class NameTables {
  readonly #context: ForeignContext;
  /** Null: deleted here. */
  readonly #known = new Map<string, string | null>();

  constructor(context: ForeignContext) {
    this.#context = context;
  }

  correspondent(name: string, leave: Leave): Promise<string | undefined> {
    return this.#entry('correspondent', ENTRY_KINDS.correspondents, name, leave);
  }

  documentType(name: string, leave: Leave): Promise<string | undefined> {
    return this.#entry('document_type', ENTRY_KINDS.documentTypes, name, leave);
  }

  /** The label at the end of a path of names. */
  async label(path: readonly string[], leave: Leave): Promise<string | undefined> {
    const names = path.flatMap((given) => toName(given, MAX_LABEL_CHARACTERS) ?? []);
    if (names.length > MAX_LABEL_LEVELS)
      await this.#once(`levels ${names.join('/')}`, async () => {
        this.#context.report.leave('label', names.join('/'), `Labels have at most ${MAX_LABEL_LEVELS} levels; those below are left out`);
        return null;
      });
    let parent: string | undefined;
    for (const [index, name] of names.slice(0, MAX_LABEL_LEVELS).entries()) {
      const above = names.slice(0, index);
      const id = await this.#once(`label ${JSON.stringify([...above, name])}`, () => this.#takeLabel(above, name, parent));
      if (id === null) {
        leave('label', [...above, name].join('/'), DELETED_HERE);
        return parent;
      }
      parent = id;
    }
    return parent;
  }

  async #once(key: string, find: () => Promise<string | null>): Promise<string | null> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = await find();
    this.#known.set(key, found);
    return found;
  }

  /** What an earlier run made of a name: null where it was deleted since, undefined where there was none. */
  async #knownRow(tx: Db, model: string, table: PgTable, foreignId: string): Promise<string | null | undefined> {
    const item = (await this.#context.items.find(tx, model, [foreignId])).get(foreignId);
    if (item === undefined) return undefined;
    const { rows } = await tx.execute(sql`select 1 from ${table} where id = ${item.localId}::uuid`);
    return rows.length > 0 ? item.localId : null;
  }

  #takeLabel(above: readonly string[], name: string, parent: string | undefined): Promise<string | null> {
    const { db, items } = this.#context;
    const foreignId = [...above, name].join('/');
    return db.transaction(async (tx) => {
      await lockLabelTree(tx);
      const known = await this.#knownRow(tx, 'label', labels, foreignId);
      if (known !== undefined) return known;
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
    const place = parent === undefined ? isNull(labels.parentId) : eq(labels.parentId, parent);
    for (const one of names) {
      const same = await findByName(tx, labels, one, by.userId, place);
      if (same !== undefined) return { id: same, isJoined: true };
    }
    for (const one of names) {
      if ((await findByName(tx, labels, one, by.userId)) !== undefined) continue;
      const upper = parent === undefined ? undefined : await getParent(tx, by, parent);
      const { id } = await createLabel(tx, { name: one, color: DEFAULT_COLOR, description: '' }, upper, by);
      report.count('labels');
      return { id, isJoined: false };
    }
    const elsewhere = await findByName(tx, labels, name, by.userId);
    if (elsewhere === undefined) throw new Error(`there is neither room for the label ${name} nor such a label`);
    return { id: elsewhere, isJoined: true };
  }

  async #entry(model: Model, kind: EntryKind, given: string, leave: Leave): Promise<string | undefined> {
    const name = toName(given, kind.maxCharacters);
    if (name === undefined) return undefined;
    const id = await this.#once(`${model} ${name.toLowerCase()}`, () => this.#takeEntry(model, kind, name));
    if (id === null) leave(model.replace('_', ' '), name, DELETED_HERE);
    return id ?? undefined;
  }

  #takeEntry(model: Model, { filing, details, counted }: EntryKind, name: string): Promise<string | null> {
    const { db, items, by, report } = this.#context;
    const { table } = filing;
    return db.transaction(async (tx) => {
      const foreignId = name.toLowerCase();
      const known = await this.#knownRow(tx, model, table, foreignId);
      if (known !== undefined) return known;
      const same = await findByName(tx, table, name, by.userId);
      const id = same ?? (await createEntry(tx, filing, { name, details }, by)).id;
      await items.add(tx, model, [{ foreignId, localId: id, isJoined: same !== undefined }]);
      if (same === undefined) report.count(counted);
      return id;
    });
  }
}

/** What the parts of an import work with. */
export interface ForeignContext {
  readonly db: Db;
  readonly items: ImportItems;
  readonly report: ImportReport;
  /** Who requested the import: everything is made in this user's name, and within these permissions. */
  readonly by: Principal;
  /** Who gets the documents. */
  readonly ownerId: string;
  /** What the other system is called here, as in the ids of its documents. */
  readonly source: string;
}
