// What only the tests of this package import: production code uses the index.
export { type CloudPatience, operation, parseJson, parseRetryAfterMs, parseServiceError, toCloudReading } from './cloud-client.ts';
export { CloudRunner } from './cloud-runner.ts';
export {
  findDownloadedData,
  findInstalledData,
  findPackagedData,
  NativeRunner,
  parseOrientation,
  parseTsv,
  WasmRunner,
} from './ocr-engine.ts';
export { type EngineFailure, type OcrReading, type OcrRunner, type OcrTask, scoreOf, toReading } from './ocr-runner.ts';
export { hasWords, mergeReadings, turnedBack, withoutNoise } from './read-page.ts';
export { inFinishedOrder } from './recognise-pages.ts';
