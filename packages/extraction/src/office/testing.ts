// What only the tests of this package import: production code uses the index.

export { checkOfficeFile } from './office-check.ts';
export { convertCold } from './office-cold-start.ts';
export { OfficeConverter } from './office-converter.ts';
export { sendOfficeJob } from './office-job.ts';
export { writeOfficeProfile } from './office-profile.ts';
export { findOffice, OFFICE_ARGS, type OfficeProgram } from './office-program.ts';
export { readSourceParagraphs } from './office-source-text.ts';
export { readSheets, type SheetText } from './read-sheets.ts';
export { putOnPages } from './sheet-pages.ts';
export { type Sheet, SheetReader } from './sheet-text.ts';
export { findUnseen } from './unseen-text.ts';
