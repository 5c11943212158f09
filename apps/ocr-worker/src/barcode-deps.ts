import type { Db } from '@sheaf/db';
import type { Extractor } from '@sheaf/extraction';
import type { ConfiguredRules } from '@sheaf/filing/barcodes';
import type { Live, Logger } from '@sheaf/process';
import type { Storage } from '@sheaf/storage';
import type { ConfiguredRoles } from '@sheaf/vocabulary/permissions';

export interface BarcodeDeps {
  readonly db: Db;
  readonly log: Logger;
  readonly storage: Storage;
  readonly settings: Live<{
    /** Earlier versions that a document keeps; 0: all. */
    readonly versionsKeep: number;
  }>;
  readonly extractor: Pick<Extractor, 'findBarcodes' | 'pictures'>;
  readonly barcodes: ConfiguredRules & { readonly roles: ConfiguredRoles };
}

/** The file of a document, and a folder for what is made of it. */
export interface FetchedFile {
  readonly path: string;
  readonly scratchPath: string;
  /** Called where something made of it has failed. Throws SERVICE_UNAVAILABLE where that was for want of room. */
  readonly onFailure: () => Promise<void>;
}
