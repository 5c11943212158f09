import type { RemoteVersion } from '@sheaf/sources';
import type { IncomingFile } from './incoming-file.ts';
import type { Refusal } from './refusal.ts';

/** A file of a source, open to be read. */
export interface RemoteIncomingFile extends IncomingFile {
  readonly sourceId: string;
  /** As the source lists it: what the next listing is compared with. */
  readonly version: RemoteVersion;
  /** The document that the file became before, whose contents are other ones by now. */
  readonly replaces?: string | undefined;
}

export type RemoteResult =
  | { readonly outcome: 'added'; readonly documentId: string }
  /** The document has the new contents and waits to be read again. */
  | { readonly outcome: 'updated'; readonly documentId: string }
  /** It is what it was. Null where the document that it became was deleted here: it does not come back. */
  | { readonly outcome: 'unchanged'; readonly documentId: string | null }
  /** Another file of this source, gone by now, brought the document. */
  | { readonly outcome: 'moved'; readonly documentId: string; readonly from: string }
  /** Null where a document of these bytes was deleted here, which came under another name then. */
  | { readonly outcome: 'duplicate'; readonly documentId: string | null }
  | ({ readonly outcome: 'refused' } & Refusal);
