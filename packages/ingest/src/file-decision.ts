import { type IngestRoute, isWatchedRoute } from '@sheaf/vocabulary/documents';

/** What is known of a file whose bytes are stored, seen by its owner. */
export interface FileFacts {
  readonly way: Way;
  /** What came under its path before: nothing, these bytes, or what is no document of these bytes any more. */
  readonly path: 'new' | 'same' | 'changed';
  /**
   * The document that these bytes are: none, the one that its path became, another one, or one of which they are an earlier version,
   * because somebody put another file under it.
   */
  readonly document: 'none' | 'own' | 'other' | 'earlier';
  /** What became of this file under other paths: it was split, or deleted here, or is only there and these paths are gone at the source. */
  readonly elsewhere: 'none' | 'split' | 'deleted' | 'gone';
  /** Whether it may be the newest version of the document that its path became. */
  readonly replaces: boolean;
  /** Whether the document of these bytes is in the trash. */
  readonly trashed: boolean;
}

/** A person who waits for an answer, or a folder or a source that nobody looks at. */
export type Way = 'upload' | 'watch' | 'source' | 'import';

export const wayOf = (route: IngestRoute): Way => {
  if (isWatchedRoute(route)) return 'watch';
  return route === 'upload' || route === 'import' ? route : 'source';
};

export type FileDecision =
  /** It becomes a document. */
  | 'new'
  /** It is what it was: touched, not changed. */
  | 'known'
  /** It is what its document was before somebody put another file under it, which stays. */
  | 'replaced'
  /** It was deleted on purpose, under this path, and does not come back. */
  | 'deleted'
  /** The same, under another path. */
  | 'deleted_elsewhere'
  /** Its pages are in the parts that its document was split into. */
  | 'split'
  /** It is the newest version of its document. */
  | 'changed'
  /** Its document is in the trash: a person is told where it is. */
  | 'trashed'
  /** Its document is in the trash: as nobody is there to be told, it is restored. */
  | 'restored'
  /** It has another path at its source. */
  | 'moved'
  /** Its owner has these bytes. */
  | 'duplicate';

type FactsThatMatter = { readonly [Name in keyof FileFacts]?: FileFacts[Name] };

/** The first row decides of which all facts are so. */
export const DECISIONS: readonly (readonly [facts: FactsThatMatter, decision: FileDecision])[] = [
  [{ path: 'same', document: 'earlier' }, 'replaced'],
  [{ path: 'same', document: 'own' }, 'known'],
  [{ path: 'same', document: 'other', way: 'source' }, 'known'],
  [{ path: 'same', document: 'none' }, 'deleted'],
  [{ path: 'changed', document: 'own' }, 'known'],
  [{ document: 'none', elsewhere: 'split' }, 'split'],
  [{ document: 'none', elsewhere: 'deleted' }, 'deleted_elsewhere'],
  [{ document: 'none', replaces: true }, 'changed'],
  [{ document: 'none', trashed: true, way: 'watch' }, 'restored'],
  [{ document: 'none', trashed: true, way: 'source' }, 'restored'],
  [{ document: 'none', trashed: true, way: 'upload' }, 'trashed'],
  [{ document: 'none' }, 'new'],
  [{ elsewhere: 'gone' }, 'moved'],
  [{}, 'duplicate'],
];

const isSo = (facts: FileFacts, matter: FactsThatMatter): boolean =>
  (Object.keys(matter) as (keyof FileFacts)[]).every((name) => facts[name] === matter[name]);

/** What becomes of a file of which this is known. */
export const decide = (facts: FileFacts): FileDecision => DECISIONS.find(([matter]) => isSo(facts, matter))?.[1] ?? 'duplicate';
