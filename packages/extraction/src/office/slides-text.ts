import type { OleFile } from '@sheaf/sandbox/containers';

/** Record types of the PowerPoint Document stream. */
const SLIDE = 0x03ee;
const SLIDE_LIST = 0x0ff0;
const TEXT_CHARS = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const HEADER_BYTES = 8;
const CONTAINER = 0xf;
const MASTERS = 1;
const MAX_DEPTH = 50;
const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/** The paragraphs of an old PowerPoint file: those on the slides, and those of the outline that the slides refer to. */
export const readSlideParagraphs = async (file: OleFile | undefined): Promise<readonly string[]> => {
  const stream = (await file?.read('PowerPoint Document', MAX_STREAM_BYTES)) ?? Buffer.alloc(0);
  const paragraphs: string[] = [];
  collect(stream, false, 0, paragraphs);
  return paragraphs;
};

/** Records of version and instance, type, length; containers hold records. Masters hold prompts such as "Click to edit". */
const collect = (records: Buffer, isText: boolean, depth: number, into: string[]): void => {
  for (let at = 0; at + HEADER_BYTES <= records.length; ) {
    const [options, type, length] = [records.readUInt16LE(at), records.readUInt16LE(at + 2), records.readUInt32LE(at + 4)];
    const body = records.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length);
    const isTextHere = isText || type === SLIDE || (type === SLIDE_LIST && options >> 4 !== MASTERS);
    if ((options & 0xf) === CONTAINER && depth < MAX_DEPTH) collect(body, isTextHere, depth + 1, into);
    else if (isText && type === TEXT_CHARS) addParagraphs(body.toString('utf16le'), into);
    else if (isText && type === TEXT_BYTES) addParagraphs(body.toString('latin1'), into);
    at += HEADER_BYTES + length;
  }
};

/** A paragraph ends with a carriage return, a line with a vertical tab. */
const addParagraphs = (text: string, into: string[]): void => {
  for (const paragraph of text.split('\r')) {
    const trimmed = paragraph.replaceAll('\v', ' ').trim();
    if (trimmed !== '') into.push(trimmed);
  }
};
