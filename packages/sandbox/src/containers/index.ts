export { type ByteSource, type Container, findContainer, openByteSource, readCutArchive } from './cut-archive.ts';
export { OleFile } from './ole-file.ts';
export { type XmlHandler, XmlReader } from './xml-reader.ts';
export { openZip, UnreadableEntry, type ZipArchive, type ZipEntry } from './zip-archive.ts';
export { openZipIndex, type ZipIndex } from './zip-index.ts';
export { ZipWriter } from './zip-writer.ts';
