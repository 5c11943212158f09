/** Of one drop; a whole disk is not what anybody means. */
const MOST_FILES = 10_000;

const readEntries = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject));

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

const isHidden = (name: string): boolean => name.startsWith('.');

const collect = async (entry: FileSystemEntry, into: File[]): Promise<void> => {
  if (into.length >= MOST_FILES || isHidden(entry.name)) return;
  if (entry.isFile) {
    into.push(await fileOf(entry as FileSystemFileEntry));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // a reader gives a hundred at a time
  for (let entries = await readEntries(reader); entries.length > 0; entries = await readEntries(reader))
    for (const inner of entries) await collect(inner, into);
};

/** All files that were dropped, those in folders too. Must be called while the event is handled: its items are gone afterwards. */
export const filesOf = async (data: DataTransfer): Promise<File[]> => {
  const entries = [...data.items].filter(({ kind }) => kind === 'file').map((item) => item.webkitGetAsEntry());
  if (entries.every((entry) => entry === null)) return [...data.files];
  const files: File[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, files);
  return files;
};
