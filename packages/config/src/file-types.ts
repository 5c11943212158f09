import { findKindByExtension, SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import type { RawValue } from './parse.ts';

/** `list` items may be written with a dot. */
const bare = (extension: string): string => extension.toLowerCase().replace(/^\./, '');

export const isKnownExtension = (extension: string): boolean => findKindByExtension(bare(extension)) !== undefined;

export interface AllowedFileTypes {
  /** Extensions an upload may have. */
  readonly upload: readonly string[];
  /** Extensions a watch folder or a source may bring. */
  readonly elsewhere: readonly string[];
  /** Nobody has set ALLOWED_FILE_TYPES. */
  readonly areDefault: boolean;
}

/** E-invoices in XML, which are told by their content: other XML is refused with a reason of its own. */
const EINVOICE = 'xml';

/** The extensions that uploads may have, as a person would write them. */
export const effectiveFileTypes = (extensions: readonly string[], isDefault: boolean): readonly string[] =>
  isDefault && !extensions.includes(EINVOICE) ? [...extensions, EINVOICE] : extensions;

/**
 * Uploads have a narrow default, and beside it e-invoices, and the other routes the full list, until someone sets ALLOWED_FILE_TYPES: then it
 * rules all.
 */
export const allowedFileTypes = (extensions: readonly string[], given: RawValue | undefined): AllowedFileTypes => {
  // .jpg and .jpeg are one type: allowing one allows the other
  const upload = [...new Set(extensions.flatMap((extension) => findKindByExtension(bare(extension))?.extensions ?? []))];
  const areDefault = given?.origin === 'default';
  return areDefault
    ? { upload: [...upload, EINVOICE], elsewhere: SUPPORTED_EXTENSIONS, areDefault }
    : { upload, elsewhere: upload, areDefault };
};
