import { extensionOf, findKindByExtension } from '@sheaf/contract';
import type { RemoteFile } from '@sheaf/sources';

export interface RemoteRules {
  readonly isWanted: (path: string) => boolean;
  /** Without dots, lower case. */
  readonly allowedExtensions: readonly string[];
  readonly maxBytes: number;
}

/** Why a file is not for us, judged without fetching it; undefined when it is worth that. */
export const refuseAtSight = ({ path, sizeBytes }: RemoteFile, rules: RemoteRules): string | undefined => {
  if (!rules.isWanted(path)) return 'its name matches none of the patterns of the source';
  const extension = extensionOf(path.slice(path.lastIndexOf('/') + 1));
  if (findKindByExtension(extension) === undefined)
    return extension === '' ? 'its name has no extension that tells its type' : `files of the type .${extension} cannot be read`;
  if (!rules.allowedExtensions.includes(extension)) return `files of the type .${extension} are not allowed`;
  return sizeBytes !== undefined && sizeBytes > rules.maxBytes
    ? `larger than the limit of ${Math.round(rules.maxBytes / 1024 ** 2)} MB`
    : undefined;
};
