export { type ByteSource, openByteSource, readCutArchive } from './cut-archive.ts';
export { OleFile } from './ole-file.ts';
export { type Container, findContainer } from './signatures.ts';
export { type XmlHandler, XmlReader } from './xml-reader.ts';
export { openZip, UnreadableEntry, type ZipArchive, type ZipEntry } from './zip-archive.ts';
export { openZipIndex, type ZipIndex } from './zip-index.ts';
export { ZipWriter } from './zip-writer.ts';
