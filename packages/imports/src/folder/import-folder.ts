import { lstat } from 'node:fs/promises';
import { XmlReader } from '@sheaf/sandbox/containers';
import { type FileSort, type FsPath, factsOf, type OpenRoot, openRoot, sortOf, type WatchedFile } from '@sheaf/storage/folders';
import { extensionOf, findKindByExtension, SUPPORTED_EXTENSIONS } from '@sheaf/vocabulary/file-kinds';
import type { ForeignDocument, ForeignItem, ForeignRest } from '../foreign/foreign-document.ts';
import { ImportSourceError, reasonOf } from '../source-error.ts';
import { DEFAULT_PATTERN, dateInName, type PathFacts, PathPattern, PatternError } from './path-pattern.ts';
import { labelPath, MAX_SIDECAR_BYTES, readJsonSidecar, type SidecarFacts } from './sidecar.ts';
import { openFile, readSmall, walkItems } from './walk-items.ts';

const parsePattern = (pattern: string): PathPattern => {
  try {
    return new PathPattern(pattern);
  } catch (error) {
    throw error instanceof PatternError ? new ImportSourceError(`The pattern cannot be used. ${error.message}`) : error;
  }
};

/** The files of a folder by a pattern of their paths. Throws an ImportSourceError where either cannot be used. */
export const openFolder = async (
  path: string,
  pattern = DEFAULT_PATTERN,
  signal = new AbortController().signal,
): Promise<AsyncIterable<ForeignItem>> => {
  const parsed = parsePattern(pattern);
  const outcome = await openRoot({ path });
  if (outcome.kind === 'absent') throw new ImportSourceError(`There is no folder ${path}.`);
  if (outcome.kind === 'link') throw new ImportSourceError(`${path} is a link; give the folder that it leads to.`);
  return readFolder(outcome.root, parsed, signal);
};

/** Deeper than any program writes them. */
const MAX_DEPTH = 50;
const MAX_VALUES = 1_000;

/** Properties of XMP, by which fact they tell; of several the first one counts. */
const TITLES = ['dc:title', 'photoshop:Headline'];
const DATES = ['photoshop:DateCreated', 'exif:DateTimeOriginal', 'xmp:CreateDate', 'dc:date'];
/** Labels with those above them, and what separates these. */
const TREES: Readonly<Record<string, string>> = { 'lr:hierarchicalSubject': '|', 'digiKam:TagsList': '/', 'microsoft:LastKeywordXMP': '/' };

/** The values of each property, as attributes or as elements, whatever list they stand in. */
const readValues = (bytes: Buffer): Map<string, string[]> => {
  const values = new Map<string, string[]>();
  const open: string[] = [];
  let text = '';
  const add = (property: string, value: string): void => {
    const known = values.get(property) ?? [];
    if (value !== '' && known.length < MAX_VALUES) values.set(property, [...known, value]);
  };
  /** The property that an element is of: rdf:li and its lists are not properties. */
  const propertyOf = (): string | undefined => open.findLast((name) => !name.startsWith('rdf:') && !name.startsWith('x:'));
  const reader = new XmlReader(
    {
      open: (name, attributes) => {
        open.push(name);
        text = '';
        if (name === 'rdf:Description') for (const [property, value] of Object.entries(attributes)) add(property, value.trim());
      },
      text: (more) => {
        text += more;
      },
      close: () => {
        const property = propertyOf();
        if (property !== undefined) add(property, text.trim());
        text = '';
        open.pop();
      },
    },
    { maxDepth: MAX_DEPTH, maxChars: MAX_SIDECAR_BYTES },
  );
  reader.write(bytes);
  const end = reader.end();
  if (end !== 'whole') throw new Error(`the XML is ${end.replace('_', ' ')}`);
  return values;
};

/** What an XMP file beside a document says of it. Throws an error whose message says what is wrong with the file. */
export const readXmpSidecar = (bytes: Buffer): SidecarFacts => {
  const values = readValues(bytes);
  const first = (names: readonly string[]): string | undefined => names.flatMap((name) => values.get(name) ?? [])[0];
  const date = first(DATES);
  const trees = Object.entries(TREES).flatMap(([name, separator]) => (values.get(name) ?? []).map((text) => labelPath(text, separator)));
  // the flat list repeats the names of the others
  const inTrees = new Set(trees.flat());
  const flat = (values.get('dc:subject') ?? []).filter((label) => !inTrees.has(label)).map((label) => [label]);
  return {
    title: first(TITLES),
    documentDate: date === undefined ? undefined : dateInName(date.replaceAll(':', '-')),
    correspondent: first(['dc:creator']),
    documentType: first(['dc:type']),
    labels: [...trees, ...flat].filter((path) => path.length > 0),
    notes: (values.get('dc:description') ?? []).map((text) => ({ text })),
  };
};

/** What programs and file systems leave beside documents. */
const LITTER = new Set(['thumbs.db', 'desktop.ini', '@eadir', '__macosx', '$recycle.bin', 'lost+found', '#recycle']);
const isLitter = (name: string): boolean => name.startsWith('.') || name.startsWith('~$') || LITTER.has(name.toLowerCase());

const SIDECARS = { json: readJsonSidecar, xmp: readXmpSidecar } as const satisfies Record<string, (bytes: Buffer) => SidecarFacts>;
const isSidecarExtension = (extension: string): extension is keyof typeof SIDECARS => Object.hasOwn(SIDECARS, extension);

const withoutExtension = (name: string): string => {
  const extension = extensionOf(name);
  return extension === '' ? name : name.slice(0, -extension.length - 1);
};

/** The file `name` beside the one at `fsPath`; undefined where there is none. */
const siblingFile = async (file: WatchedFile, name: string): Promise<WatchedFile | undefined> => {
  const slash = file.path.lastIndexOf('/') + 1;
  const base = typeof file.fsPath === 'string' ? file.fsPath : file.fsPath.toString('latin1');
  const folder = base.slice(0, base.lastIndexOf('/') + 1);
  const fsPath: FsPath =
    typeof file.fsPath === 'string' ? `${folder}${name}` : Buffer.concat([Buffer.from(folder, 'latin1'), Buffer.from(name)]);
  try {
    const stats = await lstat(fsPath);
    return sortOf(stats) === 'file'
      ? { path: `${file.path.slice(0, slash)}${name}`, name, fsPath, sort: 'file', facts: factsOf(stats) }
      : undefined;
  } catch {
    return undefined;
  }
};

interface Sidecar {
  readonly facts?: SidecarFacts;
  /** Why it says nothing. */
  readonly problem?: { readonly name: string; readonly reason: string };
}

/** What stands beside the document: `paper.pdf.json` before `paper.json`, and JSON before XMP. */
const sidecarOf = async (file: WatchedFile, root: OpenRoot): Promise<Sidecar> => {
  for (const extension of Object.keys(SIDECARS) as (keyof typeof SIDECARS)[])
    for (const name of [`${file.name}.${extension}`, `${withoutExtension(file.name)}.${extension}`]) {
      const sibling = await siblingFile(file, name);
      if (sibling === undefined) continue;
      try {
        return { facts: SIDECARS[extension](await readSmall(sibling, root, MAX_SIDECAR_BYTES)) };
      } catch (error) {
        return {
          problem: {
            name: sibling.path,
            reason: `The file beside the document cannot be used: ${reasonOf(error)}`,
          },
        };
      }
    }
  return {};
};

/** Whether the JSON or XMP file stands beside a document. */
const belongsToDocument = async (file: WatchedFile): Promise<boolean> => {
  const stem = withoutExtension(file.name);
  if (findKindByExtension(extensionOf(stem)) !== undefined && (await siblingFile(file, stem)) !== undefined) return true;
  const found = await Promise.all(
    SUPPORTED_EXTENSIONS.flatMap((extension) => [extension, extension.toUpperCase()].map((end) => siblingFile(file, `${stem}.${end}`))),
  );
  return found.some((sibling) => sibling !== undefined);
};

const NO_FACTS: SidecarFacts = { labels: [], notes: [] };

const toDocument = (file: WatchedFile, root: OpenRoot, path: PathFacts, sibling: SidecarFacts): ForeignDocument => ({
  id: file.path,
  filename: file.name,
  open: () => openFile(file, root),
  title: sibling.title ?? path.title,
  documentDate: sibling.documentDate ?? path.documentDate ?? dateInName(file.name),
  addedAt: sibling.addedAt,
  modifiedAt: new Date(file.facts.modifiedMs),
  labels: [...path.labels, ...sibling.labels],
  correspondent: sibling.correspondent ?? path.correspondent,
  documentType: sibling.documentType ?? path.documentType,
  archiveNumber: sibling.archiveNumber ?? path.archiveNumber,
  notes: sibling.notes,
  pages: sibling.pages,
});

const NOT_TAKEN: Readonly<Record<Exclude<FileSort, 'file'>, ForeignRest>> = {
  symlink: { kind: 'link', name: '', reason: 'Links are not followed' },
  hardlink: { kind: 'link', name: '', reason: 'The file has a second name elsewhere; import a copy of the folder' },
  other: { kind: 'special file', name: '', reason: 'It is neither a file nor a folder' },
};
const fallback = new PathPattern(DEFAULT_PATTERN);

async function* readFile(file: WatchedFile, root: OpenRoot, pattern: PathPattern): AsyncGenerator<ForeignItem> {
  const { path, name } = file;
  if (file.sort !== 'file') {
    yield { rest: { ...NOT_TAKEN[file.sort], name: path } };
    return;
  }
  const extension = extensionOf(name);
  if (isSidecarExtension(extension)) {
    if (!(await belongsToDocument(file))) yield { rest: { kind: 'file', name: path, reason: 'There is no document beside it' } };
    return;
  }
  const parts = path.split('/');
  const named = [...parts.slice(0, -1), withoutExtension(name)];
  const matched = pattern.match(named);
  if (matched === undefined)
    yield { rest: { kind: 'path', name: path, reason: 'The pattern does not fit; its folders became labels', documentId: path } };
  const { facts, problem } = await sidecarOf(file, root);
  if (problem !== undefined) yield { rest: { kind: 'sidecar', ...problem, documentId: path } };
  yield { document: toDocument(file, root, matched ?? fallback.match(named) ?? { labels: [] }, facts ?? NO_FACTS) };
}

/** Every file of a folder, with what its path and the file beside it say of it. */
const readFolder = (root: OpenRoot, pattern: PathPattern, signal: AbortSignal): AsyncGenerator<ForeignItem> =>
  walkItems({
    root,
    skipsFolder: ({ name }) => isLitter(name),
    read: (file) => (isLitter(file.name) ? [] : readFile(file, root, pattern)),
    signal,
  });
