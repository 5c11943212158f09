import type { Readable } from 'node:stream';

/** A file of an export, opened. The stream fails with a PaperlessArchiveError where its bytes are not as declared. */
export interface OpenedEntry {
  readonly stream: Readable;
  readonly sizeBytes: number;
}

/** The files of an export by name, whatever holds them. Names are those of the export, with `/` between folders. */
export interface EntrySource extends AsyncDisposable {
  /** Undefined where there is no such regular file within the export. */
  open(name: string): Promise<OpenedEntry | undefined>;
  /** All names, in no particular order. */
  names(): AsyncIterable<string>;
}
