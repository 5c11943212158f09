import type { Db } from '@sheaf/db';
import type { Document } from '@sheaf/db/schema';
import { type DateOrder, type FoundFacts, findFacts } from '@sheaf/facts';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';
import { readFactText } from './fact-pages.ts';
import { KnownCorrespondents } from './known-correspondents.ts';

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
