import { createReadStream } from 'node:fs';
import { type FileToLookInto, readSignatures } from './signatures.ts';

/** What every signature has, where it is never compressed: which bytes it covers (ISO 32000-1, 12.8.1). */
const MARK = Buffer.from('/ByteRange');

/** Whether the file may have signatures. Most have none, which is known without starting a program. */
const hasMark = async (path: string): Promise<boolean> => {
  let tail = Buffer.alloc(0);
  for await (const chunk of createReadStream(path)) {
    const bytes = Buffer.concat([tail, chunk as Buffer]);
    if (bytes.includes(MARK)) return true;
    tail = bytes.subarray(Math.max(0, bytes.length - MARK.length + 1));
  }
  return false;
};

/** Whether a PDF has signatures, valid or not; false where that cannot be found out. Throws the signal's reason. */
export const isSignedPdf = async (file: FileToLookInto): Promise<boolean> => {
  if (!(await hasMark(file.path))) return false;
  const found = await readSignatures(file);
  return found.ok && found.signatures.length > 0;
};
