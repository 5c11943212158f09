import { type ByteSource, OleFile } from '@sheaf/containers';

/** What an OLE compound file holds. `kinds` are the extensions it may have. */
export interface OleKind {
  readonly kinds: readonly string[];
  readonly name?: string;
}

/** The stream in the root folder that tells the program. */
const STREAMS: ReadonlyMap<string, OleKind> = new Map([
  ['WordDocument', { kinds: ['doc'] }],
  ['Workbook', { kinds: ['xls'] }],
  ['Book', { kinds: ['xls'] }], // Excel 5
  ['PowerPoint Document', { kinds: ['ppt'] }],
  ['PP97_DUALSTORAGE', { kinds: ['ppt'] }],
  // Which of the three it is can be seen only with the password; reading says that it is protected.
  ['EncryptedPackage', { kinds: ['docx', 'xlsx', 'pptx'], name: 'a password-protected office document' }],
]);

/** Undefined for a damaged compound file or one of another program. */
export const readOleKind = async (source: ByteSource): Promise<OleKind | undefined> => {
  const file = await OleFile.open(source);
  return file?.names.map((name) => STREAMS.get(name)).find((kind) => kind !== undefined);
};
