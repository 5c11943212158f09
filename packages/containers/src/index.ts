export { type ByteSource, openByteSource } from './byte-source.ts';
export { type CutEntry, readCutArchive } from './cut-archive.ts';
export { OleFile } from './ole-file.ts';
export { type Container, findContainer } from './signatures.ts';
export { type XmlEnd, type XmlHandler, type XmlLimits, XmlReader } from './xml-reader.ts';
export { type OpenedZip, openZip, type Unpacked, UnreadableEntry, type ZipArchive, type ZipEntry, type ZipLimits } from './zip-archive.ts';
export { ZipWriter } from './zip-writer.ts';
