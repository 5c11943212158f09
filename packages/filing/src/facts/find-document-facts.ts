import { type AppError, codedError } from '@sheaf/contract';
import { correspondentsFor, type Db, readRoles } from '@sheaf/db';
import { and, asc, count, desc, eq, gt, gte, isNull, lt, type SQL, sql } from '@sheaf/db/drizzle';
import { correspondents, type Document, type DocumentFact, documentEinvoices, documentFacts, documents } from '@sheaf/db/schema';
import { type CorrespondentIndex, type DateOrder, type FoundFacts, findFacts, indexCorrespondents } from '@sheaf/facts';
import type { CheckedEinvoice, EinvoiceDifference, FoundEinvoice } from '@sheaf/vocabulary/einvoices';
import { FACTS_VERSION } from '@sheaf/vocabulary/facts';
import { type Turn, turnBox } from '@sheaf/vocabulary/page-words';
import { type ConfiguredRoles, scopeOf } from '@sheaf/vocabulary/permissions';
import { fieldOf, readFactText } from './learn-from-choice.ts';

/** Where a page is now, and how it was turned. */
export interface MovedPage {
  readonly documentId: string;
  /** From 1. */
  readonly page: number;
  /** Clockwise. */
  readonly rotateBy: 0 | Turn;
}

const NO_PLACE = { page: null, x: null, y: null, width: null, height: null } as const;

const movedFact = (fact: DocumentFact, to: MovedPage | undefined): DocumentFact => {
  if (to === undefined) return { ...fact, ...NO_PLACE };
  const { x, y, width, height } = fact;
  const moved = { ...fact, documentId: to.documentId, page: to.page };
  if (to.rotateBy === 0 || x === null || y === null || width === null || height === null) return moved;
  return { ...moved, ...turnBox({ x, y, width, height }, to.rotateBy) };
};

/** The facts of a document, which is locked, that stand on one of its pages. Read them before its pages are others. */
export const readPlacedFacts = (tx: Db, documentId: string): Promise<DocumentFact[]> =>
  tx
    .select()
    .from(documentFacts)
    .where(and(eq(documentFacts.documentId, documentId), sql`${documentFacts.page} is not null`));

/**
 * Moves facts with their pages: `movedPages` says where each page is now. What a person has chosen stays chosen, also in the document that the
 * page is in now. What counts stays where its page is gone, until facts are found anew; anything else that was found on such a page goes.
 */
export const moveFacts = async (tx: Db, facts: readonly DocumentFact[], movedPages: ReadonlyMap<number, MovedPage>): Promise<void> => {
  const placed = facts.map((fact) => ({ fact, to: movedPages.get(fact.page ?? 0) }));
  const gone = placed.filter(({ fact, to }) => to === undefined && !fact.isChosen).map(({ fact }) => fact.id);
  await tx.execute(sql`delete from document_facts where id = any(${sql.param(gone)}::uuid[])`);
  const moved = placed.map(({ fact, to }) => movedFact(fact, to));
  const rows = moved.map(({ id, documentId, page, x, y, width, height }) => ({ id, documentId, page, x, y, width, height }));
  // not inserted anew, which would wait for whoever deletes a correspondent and waits for this document
  await tx.execute(sql`
    update document_facts as facts
    set document_id = moved."documentId", page = moved.page, x = moved.x, y = moved.y, width = moved.width, height = moved.height
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as moved (id uuid, "documentId" uuid, page int, x real, y real, width real, height real)
    where facts.id = moved.id`);
  for (const { fact, to } of placed)
    if (to !== undefined && fact.isChosen && to.documentId !== fact.documentId) await moveConfirmation(tx, fact, to.documentId);
};

/** What a person has set by a fact is set in the document that the fact is in now, and no longer where it was. */
const moveConfirmation = async (tx: Db, { documentId, kind, value, correspondentId }: DocumentFact, to: string): Promise<void> => {
  const field = fieldOf(kind);
  const { rowCount } = await tx.execute(sql`
    update documents set confirmed_fields = array_remove(confirmed_fields, ${field}) where id = ${documentId} and ${field} = any(confirmed_fields)`);
  if (rowCount === 0) return;
  const date = kind === 'document_date' ? value : null;
  const correspondent = kind === 'sender' ? correspondentId : null;
  await tx.execute(sql`
    update documents set confirmed_fields = array_append(confirmed_fields, ${field}),
      document_date = coalesce(${date}::date, document_date), correspondent_id = coalesce(${correspondent}::uuid, correspondent_id)
    where id = ${to}`);
};

/** Documents whose facts were never looked for, were by an earlier version of the fact finder, or by this one. */
export type FactsState = 'missing' | 'outdated' | 'found';

const isMeant = (state: FactsState, before: Date): SQL | undefined => {
  const { status, factsFoundAt, factsVersion } = documents;
  const wasFound = sql`${factsFoundAt} < ${before.toISOString()}`;
  const version = sql`coalesce(${factsVersion}, 0)`;
  return and(
    eq(status, 'completed'),
    {
      missing: isNull(factsFoundAt),
      outdated: and(wasFound, lt(version, FACTS_VERSION)),
      found: and(wasFound, gte(version, FACTS_VERSION)),
    }[state],
  );
};

/** The next completed documents in the order of their ids; of those with facts only such whose facts were looked for before `before`. */
export const listForFacts = (
  db: Db,
  state: FactsState,
  { after, before, limit }: { readonly after: string; readonly before: Date; readonly limit: number },
): Promise<Document[]> =>
  db
    .select()
    .from(documents)
    .where(and(isMeant(state, before), gt(documents.id, after)))
    .orderBy(asc(documents.id))
    .limit(limit);

/** How many there are. */
export const countForFacts = async (db: Db, state: FactsState, before: Date): Promise<number> => {
  const [row] = await db.select({ total: count() }).from(documents).where(isMeant(state, before));
  return row?.total ?? 0;
};

/** The document, if it is completed. */
export const findCompleted = async (db: Db, id: string): Promise<Document | undefined> =>
  (
    await db
      .select()
      .from(documents)
      .where(and(eq(documents.id, id), eq(documents.status, 'completed')))
  )[0];

/** An e-invoice with where the pages of its document state something else. */
export interface ComparedEinvoice extends CheckedEinvoice {
  readonly differences: readonly EinvoiceDifference[];
}

/** What processing found, to be kept. */
export type EinvoiceToKeep =
  | { readonly ok: true; readonly einvoice: ComparedEinvoice }
  | Extract<FoundEinvoice, { readonly ok: false }>
  | undefined;

/**
 * Keeps what the document is or holds as an e-invoice in the place of what was known. What it states goes before what pages do, so call it
 * before facts are stored. Undefined: it is none. `hadEinvoice` false: it was none before either.
 */
export const saveEinvoice = async (tx: Db, documentId: string, found: EinvoiceToKeep, hadEinvoice = true): Promise<void> => {
  if (found === undefined && !hadEinvoice) return;
  await tx.delete(documentEinvoices).where(eq(documentEinvoices.documentId, documentId));
  if (found !== undefined) await tx.insert(documentEinvoices).values({ documentId, ...rowOf(found) });
  const hasEinvoice = found !== undefined;
  await tx
    .update(documents)
    .set({ hasEinvoice })
    .where(and(eq(documents.id, documentId), sql`${documents.hasEinvoice} <> ${hasEinvoice}`));
};

const rowOf = (found: NonNullable<EinvoiceToKeep>) => (found.ok ? { ...found.einvoice, error: null } : { error: found.problem });

const notFound = (documentId: string): AppError => codedError('NOT_FOUND', 'EINVOICE_NOT_FOUND', { document_id: documentId });

/** Why an e-invoice that is there cannot be shown. */
export const einvoiceUnreadable = (documentId: string, problem: string): AppError =>
  codedError('NOT_FOUND', 'EINVOICE_UNREADABLE', { document_id: documentId, problem });

/**
 * The e-invoice of a document that the caller may read. Throws EINVOICE_NOT_FOUND where it is none and holds none, and EINVOICE_UNREADABLE
 * where the XML in it could not be read.
 */
export const getEinvoice = async (db: Db, documentId: string): Promise<ComparedEinvoice> => {
  const [row] = await db.select().from(documentEinvoices).where(eq(documentEinvoices.documentId, documentId));
  if (row === undefined) throw notFound(documentId);
  const { invoice, rules, violations, attachments, differences, error } = row;
  if (invoice === null || rules === null) throw einvoiceUnreadable(documentId, error ?? 'not_extracted');
  return { invoice, rules, violations, attachments, differences };
};

export interface FactFinderDeps {
  readonly db: Db;
  readonly roles: ConfiguredRoles;
  /** Goes before that of the owner's language. */
  readonly dateOrder?: DateOrder | undefined;
}

/** Finds what documents state in their text. Its time is limited by how much text is looked at, whatever it is. */
export class FactFinder {
  readonly #db: Db;
  readonly #dateOrder: DateOrder | undefined;
  readonly #known: KnownCorrespondents;

  constructor({ db, roles, dateOrder }: FactFinderDeps) {
    this.#db = db;
    this.#dateOrder = dateOrder;
    this.#known = new KnownCorrespondents(db, roles);
  }

  /** The facts of a document whose pages are stored. */
  async find({ id, ownerId, ocrLanguage }: Pick<Document, 'id' | 'ownerId' | 'ocrLanguage'>): Promise<FoundFacts> {
    const { pages, languages } = await readFactText(this.#db, id);
    const context = await this.#known.of(ownerId);
    return findFacts(
      { pages, languages: languages.length > 0 ? languages : wantedLanguages(ocrLanguage) },
      { ...context, preferredDateOrder: this.#dateOrder ?? context.preferredDateOrder, now: new Date() },
    );
  }
}

/** Those that people named, none where the language is to be found out. */
const wantedLanguages = (ocrLanguage: string): string[] => (ocrLanguage.startsWith('auto') ? [] : ocrLanguage.split('+'));

/** What is known of the owner of a document before it is looked at. */
interface OwnerContext {
  readonly correspondents: CorrespondentIndex;
  readonly preferredDateOrder: DateOrder | undefined;
}

interface Owner {
  readonly id: string;
  readonly permissions: readonly string[];
  readonly language: string | null;
  /** Of the correspondents, all and their own. Another text after each change: a row that is written has a new transaction, and one that is deleted is counted no more. */
  readonly versions: { readonly all: string; readonly own: string };
}

interface Kept {
  readonly index: Promise<CorrespondentIndex>;
  readonly version: string;
}

/** The newest count: of more, most are rarely met. */
const MAX_CORRESPONDENTS = 5_000;
/** Of one correspondent. */
const MAX_NAMES = 20;
const MAX_NUMBERS = 100;
const MAX_KEPT = 8;

const versionOf = (which: SQL): SQL => sql`select concat_ws(' ', count(*), max(xmin::text::bigint)) from correspondents where ${which}`;

/** The correspondents that owners of documents may see, indexed, and kept until one of them changes: many documents come at once. */
class KnownCorrespondents {
  readonly #db: Db;
  readonly #roles: ConfiguredRoles;
  readonly #kept = new Map<string, Kept>();

  constructor(db: Db, roles: ConfiguredRoles) {
    this.#db = db;
    this.#roles = roles;
  }

  async of(ownerId: string): Promise<OwnerContext> {
    const owner = await this.#findOwner(ownerId);
    return { correspondents: await this.#indexFor(owner), preferredDateOrder: toDateOrder(owner.language) };
  }

  async #findOwner(id: string): Promise<Owner> {
    const [{ rows }, roles] = await Promise.all([
      this.#db.execute<{ role: string; language: string | null; all_version: string; own_version: string }>(sql`
        select role, language, (${versionOf(sql`true`)}) as all_version, (${versionOf(sql`created_by = users.id`)}) as own_version
        from users left join user_settings on user_settings.user_id = users.id where users.id = ${id}`),
      readRoles(this.#db, this.#roles),
    ]);
    const { role = '', language = null, all_version: all = '', own_version: own = '' } = rows[0] ?? {};
    return { id, permissions: Object.hasOwn(roles, role) ? (roles[role] ?? []) : [], language, versions: { all, own } };
  }

  async #indexFor(owner: Owner): Promise<CorrespondentIndex> {
    const scope = scopeOf(owner.permissions, 'labels.read');
    const key = scope === 'own' ? owner.id : scope;
    const version = scope === 'none' ? '' : owner.versions[scope];
    const kept = this.#kept.get(key);
    if (kept?.version === version) return kept.index;
    const index = this.#read(owner);
    this.#kept.delete(key);
    this.#kept.set(key, { index, version });
    for (const oldest of this.#kept.keys()) if (this.#kept.size > MAX_KEPT) this.#kept.delete(oldest);
    index.catch(() => this.#kept.delete(key));
    return index;
  }

  async #read({ id, permissions }: Owner): Promise<CorrespondentIndex> {
    const rows = await this.#db
      .select({
        id: correspondents.id,
        name: correspondents.name,
        aliases: sql<string[]>`${correspondents.aliases}[1:${MAX_NAMES}::int]`,
        ibans: sql<string[]>`${correspondents.ibans}[1:${MAX_NUMBERS}::int]`,
        vatIds: sql<string[]>`${correspondents.vatIds}[1:${MAX_NUMBERS}::int]`,
        domains: sql<string[]>`${correspondents.domains}[1:${MAX_NUMBERS}::int]`,
        dateOrder: correspondents.dateOrder,
      })
      .from(correspondents)
      .where(correspondentsFor({ userId: id, permissions }, 'labels.read'))
      .orderBy(desc(correspondents.id))
      .limit(MAX_CORRESPONDENTS);
    return indexCorrespondents(rows.map((row) => ({ ...row, dateOrder: row.dateOrder ?? undefined })));
  }
}

/** Of the languages of screens; the others write the day first. */
const ORDERS: Readonly<Record<string, DateOrder>> = {
  'en-US': 'month_first',
  ja: 'year_first',
  zh: 'year_first',
  ko: 'year_first',
  hu: 'year_first',
  lt: 'year_first',
};
/** English without a country is written in either order. */
const UNKNOWN = new Set(['auto', 'en']);

/** The order of the numbers in dates that goes with the language somebody reads the screens in; undefined where it does not tell. */
const toDateOrder = (language: string | null): DateOrder | undefined => {
  if (language === null || UNKNOWN.has(language)) return undefined;
  return ORDERS[language] ?? ORDERS[language.split('-')[0] ?? ''] ?? 'day_first';
};
