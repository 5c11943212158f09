/** Told how far long work is. */
export interface BackupReport {
  /** A phase begins; `total` where it is known. */
  begin(phase: string, total?: { readonly files: number; readonly bytes: number }): void;
  /** One more file or table is done, of so many bytes. */
  advance(bytes: number): void;
}
