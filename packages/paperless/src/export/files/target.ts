import type { FileChecksums, FileSource } from './stored-source.ts';

/** A file of an export that is not a document. */
export interface OwnFile {
  readonly name: string;
  readonly content: string;
}

/** Where an export goes. Names have `/` between folders; they are plain, so none leads out of it. */
export interface ExportTarget extends AsyncDisposable {
  /**
   * Writes a file of the export, after comparing its bytes with those that it should have; says whether it was written or was there already.
   * Throws DamagedFileError where they are others, and then leaves no such file.
   */
  write(name: string, source: FileSource): Promise<{ readonly checksums: FileChecksums; readonly isNew: boolean }>;
  /** Adds text to the manifest, which is not to be seen before `finish`. */
  appendManifest(text: string): Promise<void>;
  /** Makes the export whole: the other files first, then the manifest. Removes what an earlier export wrote and this one has not. */
  finish(files: readonly OwnFile[]): Promise<{ readonly removed: number }>;
  /** Where it is, for people. */
  readonly path: string;
}

/** Why an export cannot be written to a place. */
export class TargetError extends Error {
  readonly code: 'target_not_empty' | 'target_exists' | 'target_not_folder' | 'target_unsafe';

  constructor(code: TargetError['code'], path: string) {
    super(`${code}: ${path}`);
    this.code = code;
    this.path = path;
  }

  readonly path: string;
}

export const MANIFEST = 'manifest.json';
