import { join } from 'node:path';

/** What lies in the folder of an import: the file that was uploaded, and the passphrase of the export. */
export interface ImportFolder {
  readonly path: string;
  readonly upload: string;
  readonly passphrase: string;
  /** What was uploaded, unpacked where its kind needs that. */
  readonly unpacked: string;
}

/** The folder of an import below `base`. */
export const importFolder = (base: string, id: string): ImportFolder => {
  const path = join(base, id);
  return { path, upload: join(path, 'upload.zip'), passphrase: join(path, 'passphrase'), unpacked: join(path, 'unpacked') };
};
