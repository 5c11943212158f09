export { enqueueJob, givenDocument, givenUser, principalOf } from './builders.ts';
export { openTestDatabase, TEMPLATE_DATABASE, TEST_CLUSTER_VARIABLE, type TestDatabase } from './database.ts';
export { makeIllustratedOffice, makeOfficeFiles, makeSpreadsheets } from './fixtures/office.ts';
export { makePdf, makeSignedPdf, type PdfPage, type PdfPicture } from './fixtures/pdf.ts';
export { drawBmp, drawLines, drawScan, drawTiff, toScannedA4 } from './fixtures/pictures.ts';
export {
  type Answer,
  ApiClient,
  CODE_CACHE_ENVIRONMENT,
  CODE_CACHE_VARIABLE,
  FULL_RUN_VARIABLE,
  IMPORT_CACHE_VARIABLE,
  isFullRun,
  makeServiceFolder,
  RunningService,
} from './service.ts';
