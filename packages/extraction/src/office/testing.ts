// What only the tests of this package import: production code uses the index.

export { checkOfficeFile } from './office-check.ts';
export { convertCold, OfficeConverter } from './office-converter.ts';
export { findOffice, OFFICE_ARGS, type OfficeProgram, sendOfficeJob, writeOfficeProfile } from './office-listener.ts';
export { readSourceParagraphs } from './office-source-text.ts';
export { findUnseen } from './read-office.ts';
export { putOnPages, readSheets, type Sheet, SheetReader, type SheetText } from './read-sheets.ts';
