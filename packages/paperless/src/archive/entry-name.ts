const MAX_NAME_BYTES = 4_096;

/** The files that describe an export; no document is kept under such a name. */
const OWN_FILES: ReadonlySet<string> = new Set(['manifest.json', 'metadata.json', 'version.json']);
const SPLIT_MANIFEST = '-manifest.json';

/** Whether a name from an export stays within it, whatever it is joined to. */
export const isSafeName = (name: string): boolean =>
  name !== '' &&
  Buffer.byteLength(name) <= MAX_NAME_BYTES &&
  !name.includes('\0') &&
  name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Whether it is the manifest of a single document, as --split-manifest writes them. */
export const isSplitManifest = (name: string): boolean => name.endsWith(SPLIT_MANIFEST) && isSafeName(name);

/** Whether it is a file that describes the export, not one of its documents. */
export const describesExport = (name: string): boolean => OWN_FILES.has(name) || name.endsWith(SPLIT_MANIFEST);
