// What only the tests of this package import: production code uses the index.
export { operation, parseJson, parseServiceError, toCloudReading } from './cloud-answer.ts';
export { type CloudPatience, parseRetryAfterMs } from './cloud-client.ts';
export { CloudRunner } from './cloud-runner.ts';
export { inFinishedOrder } from './finished-order.ts';
export { findDownloadedData, findInstalledData, findPackagedData } from './language-data.ts';
export { mergeReadings } from './merge-readings.ts';
export { NativeRunner } from './native-runner.ts';
export { hasWords, withoutNoise } from './noise.ts';
export { type EngineFailure, type OcrReading, type OcrRunner, type OcrTask, scoreOf, toReading } from './ocr-runner.ts';
export { parseOrientation, parseTsv } from './tesseract-tsv.ts';
export { turnedBack } from './turned-back.ts';
export { WasmRunner } from './wasm-runner.ts';
