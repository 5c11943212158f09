import { storableText } from '@sheaf/contract';

/** What files may be. */
export interface FileLimits {
  readonly maxBytes: number;
  readonly allowedExtensions: readonly string[];
}

/** Hears how far an import is. */
export interface ImportProgress {
  begin(documents: number): void;
  reach(documents: number): void;
  /** All documents are there; what belongs to them is still to come. */
  finish?(): void;
  left(what: NotImported): void;
}

/** Something that was not taken over as it was. */
export interface NotImported {
  readonly kind: string;
  readonly name: string;
  /** The id that its document had in the other system, such as paperless:123. */
  readonly document: string | null;
  readonly reason: string;
}

/** How many of each were taken over. */
const IMPORTED_KINDS = [
  'labels',
  'correspondents',
  'document_types',
  'fields',
  'field_values',
  'users',
  'notes',
  'saved_searches',
  'rules',
] as const;
type ImportedKind = (typeof IMPORTED_KINDS)[number];

export interface ImportSummary extends Readonly<Record<ImportedKind, number>> {
  readonly documents: { readonly imported: number; readonly skipped: number; readonly failed: number };
  /** Of the skipped documents: those of an earlier run. */
  readonly already_imported: number;
  /** Documents whose text is to be read here. */
  readonly queued: number;
  readonly checksums: { readonly verified: number; readonly wrong: number };
  readonly not_imported: readonly NotImported[];
}

/** Gathers what becomes of an import. */
export class ImportReport {
  readonly documents = { imported: 0, skipped: 0, failed: 0 };
  readonly checksums = { verified: 0, wrong: 0 };
  alreadyImported = 0;
  queued = 0;
  readonly #counts = new Map<ImportedKind, number>();
  readonly #left: NotImported[] = [];
  readonly #report: (left: NotImported) => void;

  /** `tell` hears of everything that is not taken over, when it is known. */
  constructor(tell: (left: NotImported) => void = () => {}) {
    this.#report = tell;
  }

  count(kind: ImportedKind, more = 1): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + more);
  }

  leave(kind: string, name: string, reason: string, document: string | null = null): void {
    const left = { kind, name: storableText(name), document: document && storableText(document), reason: storableText(reason) };
    this.#left.push(left);
    this.#report(left);
  }

  summary(): ImportSummary {
    const counts = Object.fromEntries(IMPORTED_KINDS.map((kind) => [kind, this.#counts.get(kind) ?? 0])) as Record<ImportedKind, number>;
    return {
      documents: { ...this.documents },
      ...counts,
      already_imported: this.alreadyImported,
      queued: this.queued,
      checksums: { ...this.checksums },
      not_imported: this.#left,
    };
  }
}
